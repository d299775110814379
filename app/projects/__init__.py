"""Projects: the frame of one ground truth. Takes people and settings; leaves members, audit."""
