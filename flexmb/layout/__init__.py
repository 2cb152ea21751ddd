"""Where everything is stored in the flat arrays: left of those who write them and of those who read them."""
