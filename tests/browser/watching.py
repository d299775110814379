"""Watching: what is wrong with a page as a browser shows it."""

from pathlib import Path

from playwright.sync_api import ConsoleMessage, Error, Page

AXE = Path(__file__).parent / "vendor" / "axe-core@4.14.1" / "axe.min.js"
RULES = "['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']"
COLLECT_VIOLATIONS = """
window.__violations = [];
document.addEventListener('securitypolicyviolation',
  (event) => window.__violations.push(event.violatedDirective + ' ' + event.blockedURI));
"""
# Elements that stick out of the window, leaving out what scrolls inside a frame of its own.
FIND_WIDE = """
() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.tagName.toLowerCase() + '.' + element.getAttribute('class'))
    .slice(0, 8)
"""


def watch(page: Page) -> list[str]:
    """Collect console errors, page errors and policy violations; call before the first goto."""
    faults: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"console: {message.text}")

    def catch(error: Error) -> None:
        faults.append(f"script: {error.message}")

    page.add_init_script(COLLECT_VIOLATIONS)
    page.on("console", hear)
    page.on("pageerror", catch)
    return faults


def find_axe_faults(page: Page) -> list[str]:
    """Return one line for every element that breaks a WCAG 2.2 AA or best-practice rule."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(f"async () => await axe.run(document, {{runOnly: {RULES}}})")
    return [
        f"axe {rule['id']}: {node['target']} {node['failureSummary'].splitlines()[-1].strip()}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]


def find_faults(page: Page) -> list[str]:
    """Return what axe, the layout and the policy say against the page as it stands."""
    wide = page.evaluate(FIND_WIDE)
    violations = page.evaluate("window.__violations ?? []")
    return [
        *find_axe_faults(page),
        *(f"wider than the window: {name}" for name in wide),
        *(f"policy: {violation}" for violation in violations),
    ]
