"""Finds the program: STANDIN_BIN, else what the wheel has installed, else the one on the path."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import sysconfig

from standin._error import StandinError


def binary() -> str:
    """The path of the program."""
    named = os.environ.get("STANDIN_BIN")
    if named:
        if not os.path.isfile(named):
            raise StandinError(f"STANDIN_BIN is {named}, and there is no such file")
        return named
    name = "standin" + (sysconfig.get_config_var("EXE") or "")
    schemes = [None, f"{os.name}_user"]
    folders = [sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts") for scheme in schemes]
    # With `pip install --target`, scripts are beside the packages.
    folders.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin"))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    found = shutil.which(name)
    if found:
        return found
    raise StandinError(
        f"this installation has no program: there is no wheel of standin for {sys.platform} on {platform.machine()}, "
        "or its scripts are missing.\nInstall standin where there is one, or build the program and set STANDIN_BIN to its path."
    )
