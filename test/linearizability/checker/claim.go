package main

import "math"

// claim is the row of one key, written after the tables of src/claims/transitions.ts and operations.ts and with nothing in
// common with their code. An absent row has no status.
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

func (c claim) isOwnedBy(owner string) bool {
	return c.Status == inProgress && c.Owner == owner
}

func later(time, ms int64) int64 {
	if time == never {
		return never
	}
	return time + ms
}

// acquire: the table of src/claims/transitions.ts.
func (c claim) acquire(r request) []step {
	switch c.Status {
	case "":
		return []step{{acquired(claim{Attempt: 1}, false), c.claimed(r, 1, 0, 0)}}
	case inProgress:
		if c.Owner == r.Owner {
			return []step{{acquired(c, false), c}}
		}
		var steps []step
		if isLive, told := c.isLive(r); isLive {
			steps = append(steps, step{answer{Status: "conflict", Attempt: c.Attempt}, told})
		}
		if c.isLapsed(r) {
			releases, crashes := c.Releases, c.Crashes+1
			if !c.IsStarted {
				releases, crashes = c.Releases+1, c.Crashes
			}
			next := c.claimed(r, c.Attempt+1, releases, crashes)
			steps = append(steps, step{acquired(next, true), next})
		}
		return steps
	case failed:
		next := c.claimed(r, c.Attempt+1, c.Releases, c.Crashes)
		return []step{{acquired(next, false), next}}
	case completed:
		return []step{{answer{Status: "duplicate", Result: c.Result}, c}}
	default:
		return []step{{answer{Status: "parked"}, c}}
	}
}

func acquired(c claim, tookOver bool) answer {
	return answer{Status: "acquired", Attempt: c.Attempt, Releases: c.Releases, Crashes: c.Crashes, TookOver: tookOver}
}

func (c claim) claimed(r request, attempt, releases, crashes int) claim {
	return claim{
		Status: inProgress, Owner: r.Owner, Attempt: attempt, Releases: releases, Crashes: crashes,
		IsStarted: !r.RecordsStart, LeaseFrom: r.From + r.LeaseMs, LeaseTo: later(r.Until, r.LeaseMs),
	}
}

// settle, extend and start need IN_PROGRESS and the same owner, the lease live or not. A row that shows the wanted end of the
// same owner is that owner's own success.
func (c claim) settle(r request) []step {
	stored, lost := answer{Status: "stored"}, answer{Status: "lost"}
	if !c.isOwnedBy(r.Owner) {
		if c.Owner == r.Owner && c.isEnd(r.End) {
			return []step{{stored, c}}
		}
		return []step{{lost, c}}
	}
	next := c
	next.LeaseFrom, next.LeaseTo, next.Result, next.HasError = 0, 0, "", false
	switch r.End {
	case "complete":
		next.Status, next.Result = completed, r.Result
	case "fail":
		next.Status, next.HasError, next.Crashes = failed, true, 0
	case "park":
		next.Status, next.HasError = parked, true
	case "release":
		next.Status, next.Releases = failed, r.Releases+1
	}
	return []step{{stored, next}}
}

func (c claim) isEnd(end string) bool {
	switch end {
	case "complete":
		return c.Status == completed
	case "fail":
		return c.Status == failed && c.HasError
	case "park":
		return c.Status == parked
	default:
		return c.Status == failed && !c.HasError
	}
}

// extend never makes a lease shorter.
func (c claim) extend(r request) []step {
	if !c.isOwnedBy(r.Owner) {
		return []step{{answer{Status: "lost"}, c}}
	}
	next := c
	next.LeaseFrom = max(c.LeaseFrom, r.From+r.LeaseMs)
	next.LeaseTo = max(c.LeaseTo, later(r.Until, r.LeaseMs))
	return []step{{answer{Status: "stored"}, next}}
}

func (c claim) start(r request) []step {
	if !c.isOwnedBy(r.Owner) {
		return []step{{answer{Status: "lost"}, c}}
	}
	next := c
	next.IsStarted = true
	return []step{{answer{Status: "stored"}, next}}
}

// inspect gives the row as it is.
func (c claim) inspect() []step {
	if c.Status == "" {
		return []step{{answer{Status: "absent"}, c}}
	}
	return []step{{answer{
		Status: c.Status, Owner: c.Owner, Attempt: c.Attempt, Releases: c.Releases, Crashes: c.Crashes,
		IsStarted: c.IsStarted, HasError: c.HasError, Result: c.Result,
	}, c}}
}

// operate: the table of src/claims/operations.ts.
func (c claim) operate(r request) []step {
	refused := func(why string) step { return step{answer{Status: why}, c} }
	switch {
	case c.Status == "":
		// A delete that was sent again finds nothing any more, and the store may know that it was its own.
		if r.Operation == "forget" && r.WasResent {
			return []step{refused("absent"), refused("done")}
		}
		return []step{refused("absent")}
	case c.Owner == r.Owner:
		return []step{refused("done")}
	case c.Status != r.SeenStatus || c.Owner != r.SeenOwner || c.Attempt != r.SeenAttempt:
		return []step{refused("changed")}
	}
	done := step{answer{Status: "done"}, c.changed(r)}
	if r.IsForced {
		return []step{done}
	}
	if c.Status == completed && (r.Operation == "release" || r.Operation == "park") {
		return []step{refused("completed")}
	}
	if c.Status != inProgress {
		return []step{done}
	}
	var steps []step
	if isLive, told := c.isLive(r); isLive {
		steps = append(steps, step{answer{Status: "running"}, told})
	}
	if c.isLapsed(r) {
		steps = append(steps, done)
	}
	return steps
}

func (c claim) changed(r request) claim {
	if r.Operation == "forget" {
		return claim{}
	}
	next := claim{Owner: r.Owner, Attempt: c.Attempt, Releases: c.Releases, Crashes: c.Crashes, IsStarted: true}
	switch r.Operation {
	case "resolve":
		next.Status, next.Result = completed, c.Result
		if r.Result != "" {
			next.Result = r.Result
		}
	case "park":
		next.Status, next.HasError = parked, true
	default:
		next.Status, next.Releases, next.Crashes = failed, c.Attempt, 0
	}
	return next
}
