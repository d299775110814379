"""The colours can be read: contrast by WCAG 2.2, computed from the tokens themselves."""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "static" / "css"
SCHEMES = ("light", "dark")
SURFACES = ("paper", "raised", "sunk", "wash")
WORDS = ("ink", "quiet", "accent", "good", "warn", "bad")
DEEPEST_HEAT = 0.35

TEXT = [
    *((word, surface) for word in WORDS for surface in SURFACES),
    *((state, f"{state}-wash") for state in ("good", "warn", "bad")),
    *(("ink", f"{state}-wash") for state in ("good", "warn", "bad")),
    *((f"on-grade-{grade}", f"grade-{grade}") for grade in range(4)),
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    ("accent-strong", "paper"),
    ("ink", "mark"),
    ("quiet", "mark"),
    ("paper", "ink"),
]
MARKS = [("edge", "paper"), ("edge", "raised"), ("accent", "line"), ("warn", "paper")]


def read_tokens(scheme: str) -> dict[str, str]:
    pairs = re.findall(
        r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", (CSS / "tokens.css").read_text("utf-8")
    )
    return {name: (light if scheme == "light" else dark) for name, light, dark in pairs}


def read_channels(colour: str) -> list[float]:
    return [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]


def compute_luminance(channels: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def compute_contrast(one: list[float], other: list[float]) -> float:
    dark, light = sorted((compute_luminance(one), compute_luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("front", "back"), TEXT)
def test_text_stands_out_from_its_ground(scheme: str, front: str, back: str) -> None:
    tokens = read_tokens(scheme)

    contrast = compute_contrast(read_channels(tokens[front]), read_channels(tokens[back]))

    assert contrast >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("front", "back"), MARKS)
def test_a_mark_stands_out_from_its_ground(scheme: str, front: str, back: str) -> None:
    tokens = read_tokens(scheme)

    contrast = compute_contrast(read_channels(tokens[front]), read_channels(tokens[back]))

    assert contrast >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_digits_of_the_deepest_heat_can_be_read(scheme: str) -> None:
    tokens = {name: read_channels(colour) for name, colour in read_tokens(scheme).items()}
    ground = [
        DEEPEST_HEAT * accent + (1 - DEEPEST_HEAT) * paper
        for accent, paper in zip(tokens["accent"], tokens["paper"], strict=True)
    ]

    assert compute_contrast(tokens["ink"], ground) >= 4.5


def test_every_token_that_is_used_is_defined() -> None:
    sheets = "".join(path.read_text("utf-8") for path in sorted(CSS.glob("*.css")))

    used = set(re.findall(r"var\((--[\w-]+)\)", sheets))

    assert used <= set(re.findall(r"(--[\w-]+):", sheets))
