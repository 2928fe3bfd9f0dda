"""One command that runs the web server and the workers, and leaves nothing behind."""
