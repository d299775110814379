"""Assignment: who grades what. Takes items and SMEs; leaves slots, and writes every grade."""
