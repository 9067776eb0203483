package main

import "github.com/anishathalye/porcupine"

// leaseModel is the claim of one key as a sequential object that is fenced by owners and attempts.
//
// Where the answer depends on whether a lease was live, both answers are possible as long as the call and the interval of the
// lease overlap, and each narrows what is known; where they do not overlap, one of them is a violation. So nothing is rejected
// that a correct store can do, and a key that is given away while its lease is certainly live is.
//
// An operation without an answer may have happened once or not at all.
var leaseModel = porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{claim{}} },
	Step: func(state, input, output interface{}) []interface{} {
		c, r, given := state.(claim), input.(request), output.(*answer)
		var states []interface{}
		if given == nil {
			states = append(states, c)
		}
		for _, possible := range steps(c, r) {
			if given == nil {
				states = append(states, possible.next)
			} else if next, isPossible := narrowed(possible, r, *given); isPossible {
				states = append(states, next)
			}
		}
		return states
	},
	DescribeOperation: describeOperation,
	DescribeState:     describeState,
}

// narrowed gives the row with what the answer tells of its lease, unless the answer is another one.
func narrowed(possible step, r request, given answer) (claim, bool) {
	told := given.LeaseUntil
	given.LeaseUntil = 0
	next := possible.next
	if possible.answer != given {
		return next, false
	}
	switch given.Status {
	case "acquired":
		// What its owner counts on: the store's own lease ends no earlier.
		next.LeaseFrom = max(next.LeaseFrom, told-roundingMs)
	case "conflict":
		// By the clock of who asked, which was compared with the store's during the call.
		atMost := r.Until - r.From + roundingMs
		next.LeaseFrom, next.LeaseTo = max(next.LeaseFrom, told-atMost), min(next.LeaseTo, told+atMost)
	case inProgress:
		next.LeaseFrom, next.LeaseTo = max(next.LeaseFrom, told-roundingMs), min(next.LeaseTo, told+roundingMs)
	}
	return next, next.LeaseFrom <= next.LeaseTo
}
