package main

import "fmt"

func describeOperation(input, output interface{}) string {
	r, given := input.(request), output.(*answer)
	return fmt.Sprintf("%s → %s", describeRequest(r), describeAnswer(given))
}

func describeRequest(r request) string {
	switch r.Op {
	case "acquire":
		return fmt.Sprintf("acquire(%s, %d ms)", r.Owner, r.LeaseMs)
	case "extend":
		return fmt.Sprintf("extend(%s, %d ms)", r.Owner, r.LeaseMs)
	case "settle":
		return fmt.Sprintf("%s(%s)", r.End, r.Owner)
	case "start":
		return fmt.Sprintf("start(%s)", r.Owner)
	case "operate":
		force := ""
		if r.IsForced {
			force = ", forced"
		}
		return fmt.Sprintf("%s(%s, saw %s of %s%s)", r.Operation, r.Owner, r.SeenStatus, r.SeenOwner, force)
	default:
		return r.Op
	}
}

func describeAnswer(given *answer) string {
	if given == nil {
		return "unknown"
	}
	switch given.Status {
	case "acquired":
		took := ""
		if given.TookOver {
			took = ", taken over"
		}
		return fmt.Sprintf("acquired, attempt %d until %d%s", given.Attempt, given.LeaseUntil, took)
	case "conflict":
		return fmt.Sprintf("conflict, attempt %d until %d", given.Attempt, given.LeaseUntil)
	case inProgress, completed, failed, parked:
		return fmt.Sprintf("%s of %s, attempt %d", given.Status, given.Owner, given.Attempt)
	default:
		return given.Status
	}
}

func describeState(state interface{}) string {
	c := state.(claim)
	if c.Status == "" {
		return "absent"
	}
	lease := ""
	if c.Status == inProgress {
		lease = fmt.Sprintf(", lease until %d", c.LeaseFrom)
		if c.LeaseTo == never {
			lease += " or later"
		} else if c.LeaseTo > c.LeaseFrom {
			lease += fmt.Sprintf(" to %d", c.LeaseTo)
		}
	}
	return fmt.Sprintf("%s of %s, attempt %d (%d released, %d crashed)%s",
		c.Status, c.Owner, c.Attempt, c.Releases, c.Crashes, lease)
}
