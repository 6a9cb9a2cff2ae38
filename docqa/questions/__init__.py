"""What is asked, understood once: pure and synchronous."""
