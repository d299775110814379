"""The domain: pure rules of labels, values in and values out."""
