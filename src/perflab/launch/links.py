"""Links that launch a repository on mybinder.org, by the schemes of its `/v2/` addresses.

Sources: BinderHub's documentation, "Repository Providers" (https://binderhub.readthedocs.io/en/latest/developer/repoproviders.html),
and mybinder.org's, "User interfaces" (https://mybinder.readthedocs.io/en/latest/howto/user_interface.html).
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from perflab.launch.remote import Remote

SERVER = "https://mybinder.org"
BADGE = f"{SERVER}/badge_logo.svg"


def launch_url(remote: Remote, ref: str, notebook: str = "") -> str:
    """The link that opens JupyterLab, on a notebook if one is named.

    Args:
        remote: The repository.
        ref: A branch, a tag or a full commit.
        notebook: Its path in the checkout.
    """
    opened = f"lab/tree/{notebook}" if notebook else "lab"
    # A slash in a ref stays one: all that follows the repository is the ref.
    return f"{SERVER}/v2/{_repository(remote)}/{quote(ref, safe='/')}?urlpath={quote(opened, safe='')}"


def _repository(remote: Remote) -> str:
    if remote.host == "github.com" and remote.path.count("/") == 1:
        return f"gh/{remote.path}"
    if remote.host == "gitlab.com":
        return f"gl/{quote(remote.path, safe='')}"
    return f"git/{quote(remote.url, safe='')}"
