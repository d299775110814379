"""Addresses: what may be called and what may not, as tables."""

import pytest

from app.errors import Invalid
from app.outside.addresses import check_address, check_resolved

LOCAL = ("http://127.0.0.1:8080/v1",)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://api.openai.com/v1", ()),
        ("https://api.example.com:8443/some/v1/", ()),
        ("https://8.8.8.8/v1", ()),
        ("https://[2606:4700::1111]/v1", ()),
        ("http://127.0.0.1:8080/v1", LOCAL),
        ("http://127.0.0.1:8080/v1/", LOCAL),
        ("http://127.0.0.1:8080/v1/chat/completions", LOCAL),
        ("HTTP://127.0.0.1:8080/v1", LOCAL),
        ("http://llm:8000/v1", ("http://other/v1", "http://llm:8000")),
        ("http://localhost/v1", ("http://localhost:80/v1",)),
        ("http://[::1]:9/v1", ("http://[::1]:9/",)),
        ("https://10.0.0.7/v1", ("https://10.0.0.7",)),
        ("http://api.example.com/v1", ("http://api.example.com/v1",)),
    ],
)
def test_public_https_and_what_the_setting_names_may_be_called(
    url: str, allowed: tuple[str, ...]
) -> None:
    check_address(url, allowed)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("http://api.openai.com/v1", ()),
        ("ftp://api.openai.com/v1", ()),
        ("file:///etc/passwd", ()),
        ("api.openai.com/v1", ()),
        ("", ()),
        ("https://", ()),
        ("https://user:secret@api.openai.com/v1", ()),
        ("https://127.0.0.1@api.openai.com/v1", ()),
        ("https://api.openai.com/v1?key=1", ()),
        ("https://api.openai.com/v1#x", ()),
        ("https://api.openai.com:99999/v1", ()),
        ("https://api.openai.com\\@127.0.0.1/v1", ()),
        ("https://api.openai.com/\n", ()),
        ("https://аpi.openai.com/v1", ()),
        ("https://localhost/v1", ()),
        ("https://db.internal/v1", ()),
        ("https://printer.local/v1", ()),
        ("https://127.0.0.1/v1", ()),
        ("https://10.0.0.7/v1", ()),
        ("https://172.16.0.1/v1", ()),
        ("https://192.168.1.1/v1", ()),
        ("https://100.64.0.1/v1", ()),
        ("https://[::1]/v1", ()),
        ("https://[fc00::1]/v1", ()),
        ("https://[::ffff:10.0.0.1]/v1", ()),
        ("https://[64:ff9b::7f00:1]/v1", ()),
        ("https://2130706433/v1", ()),
        ("https://0x7f.1/v1", ()),
        ("https://127.1/v1", ()),
        ("http://127.0.0.1:8081/v1", LOCAL),
        ("https://127.0.0.1:8080/v1", LOCAL),
        ("http://127.0.0.2:8080/v1", LOCAL),
        ("http://localhost:8080/v1", LOCAL),
        ("http://127.0.0.1:8080/v10", LOCAL),
        ("http://127.0.0.1:8080/", LOCAL),
        ("http://127.0.0.1:8080/v1/../admin", LOCAL),
        ("http://127.0.0.1:8080/v1/%2e%2e/admin", LOCAL),
        ("http://127.0.0.1.example.com:8080/v1", LOCAL),
    ],
)
def test_anything_else_is_refused(url: str, allowed: tuple[str, ...]) -> None:
    with pytest.raises(Invalid):
        check_address(url, allowed)


@pytest.mark.parametrize(
    "host",
    [
        "169.254.169.254",
        "169.254.0.1",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[::ffff:169.254.169.254]",
        "0.0.0.0",
        "[::]",
        "168.63.129.16",
        "100.100.100.200",
        "224.0.0.1",
        "metadata.google.internal",
    ],
)
def test_link_local_and_metadata_are_refused_even_when_allowed(host: str) -> None:
    with pytest.raises(Invalid, match="never called"):
        check_address(f"http://{host}/v1", (f"http://{host}/v1",))


@pytest.mark.parametrize(
    ("address", "permitted", "fine"),
    [
        ("93.184.216.34", False, True),
        ("10.0.0.1", True, True),
        ("127.0.0.1", True, True),
        ("10.0.0.1", False, False),
        ("::1", False, False),
        ("::ffff:127.0.0.1", False, False),
        ("169.254.169.254", True, False),
        ("fe80::1%eth0", True, False),
        ("nonsense", True, False),
    ],
)
def test_what_a_name_leads_to_is_checked_too(address: str, permitted: bool, fine: bool) -> None:
    if fine:
        check_resolved("llm.example.com", address, permitted)
    else:
        with pytest.raises(Invalid, match=r"llm\.example\.com leads to"):
            check_resolved("llm.example.com", address, permitted)


def test_a_refusal_never_repeats_a_password() -> None:
    with pytest.raises(Invalid) as refused:
        check_address("ftp://me:hunter2@example.com", ())

    assert "hunter2" not in str(refused.value)
