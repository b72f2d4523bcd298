"""What the writers of one thread know about their documents: acknowledged states, and the ones left open by a crash.

A document's state is its `v`, or None when it is not there. While an operation is under way both the state before and the
state after it are possible; once acknowledged, only the one after. Each ledger belongs to one writer thread and is read by the main
thread when that writer has ended.
"""


class Ledger:
    def __init__(self):
        self.states = {}
        self.touched = set()

    def begin(self, ids, after):
        """An operation is about to take each of `ids` to the state after(before)."""
        for one in ids:
            before = self.current(one)
            self.states[one] = [before, after(before)]
            self.touched.add(one)

    def acknowledge(self, ids):
        for one in ids:
            self.states[one] = [self.states[one][-1]]

    def current(self, one):
        return self.states.get(one, [None])[-1]

    def live(self):
        return [one for one in self.states if self.current(one) is not None]

    def settle(self, found):
        """Compares with the documents found after a restart (`_id` to `v`): the faults as texts. What was found is certain now."""
        faults = []
        for one in sorted(self.touched):
            state = found.get(one)
            if state not in self.states[one]:
                faults.append(f"document {one} is {state}, possible: {self.states[one]}")
            self.states[one] = [state]
        self.touched.clear()
        return faults
