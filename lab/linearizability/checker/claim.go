package main

import "math"

// claim is the row of one key. What becomes of it is read from the table (table.go). An absent row has no status.
//
// A lease ends at a moment of the clock that its store decides by. The history does not tell when a store read that clock, only
// that it was during the call, so the end of a lease is an interval: what the store has is somewhere from LeaseFrom to LeaseTo.
type claim struct {
	Status    string
	Owner     string
	Attempt   int
	Releases  int
	Crashes   int
	IsStarted bool
	HasError  bool
	Result    string
	LeaseFrom int64
	LeaseTo   int64
}

const (
	inProgress = "IN_PROGRESS"
	completed  = "COMPLETED"
	failed     = "FAILED"
	parked     = "PARKED"

	// Times are whole milliseconds, cut off from finer ones by different programs.
	roundingMs = 1
	never      = int64(math.MaxInt64)
)

// answer is what an operation gives: that of the history, or what the model says it might be.
type answer struct {
	Status     string `json:"status"`
	Attempt    int    `json:"attempt"`
	Releases   int    `json:"releases"`
	Crashes    int    `json:"crashes"`
	TookOver   bool   `json:"tookOver"`
	Result     string `json:"result"`
	Owner      string `json:"owner"`
	IsStarted  bool   `json:"isStarted"`
	HasError   bool   `json:"hasError"`
	LeaseUntil int64  `json:"leaseUntil"`
}

// step is one thing that may happen: an answer, and the row after it.
type step struct {
	answer answer
	next   claim
}

// isLive says whether the lease may have been live at some moment of the call. If so, the row is returned with what that tells.
func (c claim) isLive(by request) (bool, claim) {
	c.LeaseFrom = max(c.LeaseFrom, by.From-roundingMs)
	return c.LeaseFrom <= c.LeaseTo, c
}

// isLapsed says whether the lease may have been over at some moment of the call.
func (c claim) isLapsed(by request) bool {
	return by.Until >= c.LeaseFrom-roundingMs
}

func later(time, ms int64) int64 {
	if time == never {
		return never
	}
	return time + ms
}

// steps gives all that may happen to a row.
func steps(c claim, r request) []step {
	if r.Op == "inspect" {
		return []step{c.inspect()}
	}
	kinds := kindsOf(c, r)
	if len(kinds) == 1 {
		return c.byLease(r, kinds[0])
	}
	longer, shorter := look(c, r, false, kinds[0]), look(c, r, false, kinds[1])
	if longer == shorter {
		return []step{longer.step(c, r)}
	}
	return []step{joined(longer.step(c, r), shorter.step(c, r))}
}

// byLease decides as if the lease were live, and as if it were over, where the call may have met it so. Where the table makes no
// difference, nothing is learnt of the lease.
func (c claim) byLease(r request, kind string) []step {
	live, lapsed := look(c, r, true, kind), look(c, r, false, kind)
	if live == lapsed {
		possible := []step{lapsed.step(c, r)}
		// A delete that was sent again finds nothing any more, and the store may know that it was its own.
		if c.Status == "" && r.Operation == "forget" && r.WasResent {
			possible = append(possible, step{answer{Status: "done"}, c})
		}
		return possible
	}
	var possible []step
	if isLive, told := c.isLive(r); isLive {
		possible = append(possible, live.step(told, r))
	}
	if c.isLapsed(r) {
		possible = append(possible, lapsed.step(c, r))
	}
	return possible
}

// joined is an extension of which nobody knows whether it made the lease longer: the longer of both.
func joined(longer, shorter step) step {
	next := shorter.next
	next.LeaseFrom = max(longer.next.LeaseFrom, shorter.next.LeaseFrom)
	next.LeaseTo = max(longer.next.LeaseTo, shorter.next.LeaseTo)
	return step{shorter.answer, next}
}

// inspect gives the row as it is.
func (c claim) inspect() step {
	if c.Status == "" {
		return step{answer{Status: "absent"}, c}
	}
	return step{answer{
		Status: c.Status, Owner: c.Owner, Attempt: c.Attempt, Releases: c.Releases, Crashes: c.Crashes,
		IsStarted: c.IsStarted, HasError: c.HasError, Result: c.Result,
	}, c}
}
