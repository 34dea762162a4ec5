"""What tailproof is compared with."""
