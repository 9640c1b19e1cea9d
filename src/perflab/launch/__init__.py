"""Where the checkout can be launched by whoever has a browser and nothing else: mybinder.org."""

from perflab.launch.checkout import Launcher, find_launcher, pinned_launcher
from perflab.launch.links import launch_url
from perflab.launch.remote import Remote, parse_remote

__all__ = ["Launcher", "Remote", "find_launcher", "launch_url", "parse_remote", "pinned_launcher"]
