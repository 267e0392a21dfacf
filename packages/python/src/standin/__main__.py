"""`python -m standin …` runs the program."""

import os
import subprocess
import sys

from standin import StandinError, binary


def main() -> None:
    """Runs the program with the same arguments."""
    try:
        program = binary()
    except StandinError as error:
        sys.exit(f"standin: {error}")
    if os.name == "posix":
        os.execv(program, ["standin", *sys.argv[1:]])
    sys.exit(subprocess.call([program, *sys.argv[1:]]))


main()
