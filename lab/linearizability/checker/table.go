package main

import (
	"encoding/json"
	"os"
	"strings"
)

// The table of the state machine, which `lab/linearizability/claim-table.ts` writes from the code: by the kind of row and of
// request, the answer and the row afterwards. This program holds no rule of its own; it only keeps the end of the lease as an
// interval, of which the table knows no more than whether it is live.
var table map[string]line

type line struct {
	Answer struct {
		counts
		Status   string `json:"status"`
		TookOver bool   `json:"tookOver"`
		Result   source `json:"result"`
	} `json:"answer"`
	Row struct {
		counts
		Status    string `json:"status"`
		Owner     source `json:"owner"`
		IsStarted bool   `json:"isStarted"`
		HasError  bool   `json:"hasError"`
		Result    source `json:"result"`
		Lease     source `json:"lease"`
	} `json:"row"`
}

type counts struct {
	Attempt  sum `json:"attempt"`
	Releases sum `json:"releases"`
	Crashes  sum `json:"crashes"`
}

// sum is a number that was there before, and what is added to it.
type sum struct {
	Of   string `json:"of"`
	Plus int    `json:"plus"`
}

// source says where a value comes from: "stored", "asked", or "" for none.
type source string

func readTable(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &table)
}

// look finds the line of a row and a request.
func look(c claim, r request, isLive bool, kind string) line {
	words := []string{"absent"}
	if c.Status != "" {
		words[0] = c.Status
		words = addIf(words, c.Owner == r.Owner, "own")
		words = addIf(words, c.IsStarted, "started")
		words = addIf(words, c.HasError, "error")
		words = addIf(words, isLive, "live")
	}
	key := strings.Join(append(words, kind), " ")
	found, isKnown := table[key]
	if !isKnown {
		panic("the table has no line for: " + key)
	}
	return found
}

// kindsOf names the request as the table does. An extension is two: the lease may become longer or shorter by it.
func kindsOf(c claim, r request) []string {
	switch r.Op {
	case "acquire":
		if r.RecordsStart {
			return []string{"acquire to-start"}
		}
		return []string{"acquire"}
	case "settle":
		return []string{r.End}
	case "extend":
		return []string{"extend longer", "extend shorter"}
	case "start":
		return []string{"start"}
	case "operate":
		words := []string{"person-" + r.Operation}
		if c.Status != "" {
			words = addIf(words, c.Status != r.SeenStatus, "other-status")
			words = addIf(words, c.Owner != r.SeenOwner, "other-owner")
			words = addIf(words, c.Attempt != r.SeenAttempt, "other-attempt")
		}
		words = addIf(words, r.IsForced, "forced")
		words = addIf(words, r.Result != "", "result")
		return []string{strings.Join(words, " ")}
	default:
		panic("no such operation: " + r.Op)
	}
}

func addIf(words []string, isSo bool, word string) []string {
	if isSo {
		return append(words, word)
	}
	return words
}

func (s sum) value(c claim, r request) int {
	return s.Plus + map[string]int{
		"attempt": c.Attempt, "releases": c.Releases, "crashes": c.Crashes, "asked": r.Releases,
	}[s.Of]
}

func (s source) value(stored, asked string) string {
	return map[source]string{"stored": stored, "asked": asked}[s]
}

// step gives the answer and the row of a line, with the numbers and texts of this row and request.
func (l line) step(c claim, r request) step {
	a, row := l.Answer, l.Row
	next := claim{
		Status: row.Status, Owner: row.Owner.value(c.Owner, r.Owner), IsStarted: row.IsStarted, HasError: row.HasError,
		Attempt: row.Attempt.value(c, r), Releases: row.Releases.value(c, r), Crashes: row.Crashes.value(c, r),
		Result: row.Result.value(c.Result, r.Result),
	}
	switch row.Lease {
	case "stored":
		next.LeaseFrom, next.LeaseTo = c.LeaseFrom, c.LeaseTo
	case "asked":
		next.LeaseFrom, next.LeaseTo = r.From+r.LeaseMs, later(r.Until, r.LeaseMs)
	}
	return step{answer{
		Status: a.Status, TookOver: a.TookOver, Result: a.Result.value(c.Result, r.Result),
		Attempt: a.Attempt.value(c, r), Releases: a.Releases.value(c, r), Crashes: a.Crashes.value(c, r),
	}, next}
}
