"""Run the command line with `python -m listenbench`."""

from listenbench.cli import main

if __name__ == "__main__":
    main()
