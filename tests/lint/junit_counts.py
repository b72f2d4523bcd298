"""Prints `passed failed skipped` of a JUnit file as ctest writes it, and names what was skipped on standard error."""

import sys
import xml.etree.ElementTree as ElementTree


def main() -> int:
    root = ElementTree.parse(sys.argv[1]).getroot()
    passed = failed = 0
    skipped = []
    for case in root.iter("testcase"):
        # ctest writes status="run", "fail", "notrun" or "disabled".
        status = case.get("status")
        if status == "run":
            passed += 1
        elif status == "fail":
            failed += 1
        elif case.find("skipped") is not None and "SKIP_RETURN_CODE" in (
            case.find("skipped").get("message") or ""
        ):
            skipped.append(case.get("name"))
        else:
            # A test that could not be started, or was switched off, is a failure.
            failed += 1
    for name in skipped:
        print(f"SKIPPED: {name}", file=sys.stderr)
    print(passed, failed, len(skipped))
    return 0


if __name__ == "__main__":
    sys.exit(main())
