"""Addresses: which URLs Goldspan may call, decided before and at the moment of connecting."""

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from app.errors import Invalid

IP = IPv4Address | IPv6Address
PORTS = {"http": 80, "https": 443}
NEVER = tuple(
    ip_network(block)
    for block in (
        "0.0.0.0/8",
        "169.254.0.0/16",  # link-local, and the metadata of most clouds
        "168.63.129.16/32",  # Azure's host
        "100.100.100.200/32",  # Alibaba's metadata
        "224.0.0.0/4",
        "255.255.255.255/32",
        "::/128",
        "fe80::/10",
        "fd00:ec2::254/128",  # Amazon's metadata
        "fd20:ce::254/128",  # Google's metadata
        "ff00::/8",
    )
)
NEVER_NAMES = {"metadata.google.internal", "metadata", "instance-data"}
TRANSLATED = ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Place:
    """The parts of a URL that a permission is about."""

    scheme: str
    host: str
    port: int
    path: str

    def covers(self, other: "Place") -> bool:
        """Say whether ``other`` is this place or lies below its path."""
        same = (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)
        below = other.path == self.path or other.path.startswith(self.path.rstrip("/") + "/")
        return same and below


def check_address(url: str, allowed: tuple[str, ...] = ()) -> None:
    """Refuse a URL that Goldspan must not call.

    Public https addresses may be called. Anything else (plain http, loopback, private
    ranges, names without a dot) needs a prefix in ``allowed`` with the same scheme, host and
    port, and a path at or above the URL's. Link-local and cloud metadata addresses are never
    called. A name's addresses are checked again when connecting (:func:`check_resolved`).

    Raises:
        Invalid: in words that say what to change.
    """
    place = read_place(url)
    literal = read_ip(place.host)
    if place.host in NEVER_NAMES or (literal is not None and is_never(literal)):
        raise Invalid(f"{place.host} is a link-local or metadata address and is never called.")
    if is_allowed(place, allowed):
        return
    if place.scheme != "https":
        raise Invalid(_needs_permission(url, "does not begin with https://"))
    if literal is not None and not is_public(literal):
        raise Invalid(_needs_permission(url, "is not a public address"))
    if literal is None and _is_local_name(place.host):
        raise Invalid(_needs_permission(url, "is a name inside your own network"))


def check_resolved(host: str, address: str, permitted: bool) -> None:
    """Refuse an address that a name turned out to mean.

    Raises:
        Invalid: it is never called, or it is not public and ``permitted`` is False.
    """
    found = read_ip(address)
    if found is None or is_never(found):
        raise Invalid(f"{host} leads to {address}, which is never called.")
    if not permitted and not is_public(found):
        raise Invalid(
            f"{host} leads to {address}, which is not public. "
            "Add the endpoint to GOLDSPAN_ALLOWED_ENDPOINTS if that is meant."
        )


def is_allowed(place: Place, allowed: tuple[str, ...]) -> bool:
    """Say whether one of the URL prefixes covers the place."""
    return any(read_place(prefix).covers(place) for prefix in allowed)


@lru_cache(maxsize=256)
def read_place(url: str) -> Place:
    """Read scheme, host, port and path, refusing what could be read in two ways.

    Raises:
        Invalid: no http(s) address, credentials, odd characters, query, fragment or dots.
    """
    parts = _split(url)
    if parts.scheme not in PORTS or not parts.hostname:
        raise Invalid(f"“{_hide(url)}” is no address. It must begin with https:// or http://.")
    if "@" in parts.netloc:
        raise Invalid("Put no user name or password into an address; name a key instead.")
    if parts.query or parts.fragment or "?" in url or "#" in url:
        raise Invalid(f"“{url}” has a ? or #. Give the address up to /v1 alone.")
    if ".." in parts.path or "//" in parts.path or "%" in parts.path:
        raise Invalid(f"“{url}” has .., // or % in its path. Write the plain path.")
    host = parts.hostname.rstrip(".").lower()
    if read_ip(host) is None and _looks_numeric(host):
        raise Invalid(f"“{host}” is a number in disguise. Write the address as 1.2.3.4.")
    port = parts.port or PORTS[parts.scheme]
    return Place(parts.scheme, host, port, parts.path.rstrip("/"))


def _split(url: str) -> SplitResult:
    plain = all(33 <= ord(letter) <= 126 for letter in url) and "\\" not in url
    try:
        parts = urlsplit(url)
        readable = parts.port is None or parts.port > 0
    except ValueError:
        readable = False
    if not plain or not readable:
        raise Invalid(f"“{_hide(url)}” cannot be read as an address.")
    return parts


def _hide(url: str) -> str:
    return "..." if "@" in url else url


def read_ip(host: str) -> IP | None:
    """Read an IP address, seeing through IPv6 forms that carry an IPv4 one."""
    try:
        found = ip_address(host.split("%")[0])
    except ValueError:
        return None
    if isinstance(found, IPv6Address):
        if found in TRANSLATED:
            return IPv4Address(int(found) & 0xFFFFFFFF)
        return found.ipv4_mapped or found.sixtofour or found
    return found


def is_never(address: IP) -> bool:
    """Say whether the address is link-local, metadata, unspecified or multicast."""
    return any(address in block for block in NEVER if block.version == address.version)


def is_public(address: IP) -> bool:
    """Say whether the address belongs to the public internet."""
    return address.is_global and not address.is_multicast and not is_never(address)


def _looks_numeric(host: str) -> bool:
    last = host.split(".")[-1]
    return last.isdigit() or last.startswith("0x")


def _is_local_name(host: str) -> bool:
    return "." not in host or host.endswith((".localhost", ".local", ".internal"))


def _needs_permission(url: str, why: str) -> str:
    return f"{url} {why}. Add it to GOLDSPAN_ALLOWED_ENDPOINTS if that is meant."
