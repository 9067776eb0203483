package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/anishathalye/porcupine"
)

// request is what was asked for, and when by the clock that leases go by, in epoch milliseconds.
type request struct {
	Op           string `json:"op"`
	Key          string `json:"key"`
	Owner        string `json:"owner"`
	LeaseMs      int64  `json:"leaseMs"`
	RecordsStart bool   `json:"recordsStart"`
	End          string `json:"end"`
	Result       string `json:"result"`
	Releases     int    `json:"releases"`
	Operation    string `json:"operation"`
	SeenStatus   string `json:"seenStatus"`
	SeenOwner    string `json:"seenOwner"`
	SeenAttempt  int    `json:"seenAttempt"`
	IsForced     bool   `json:"isForced"`
	// From the call to its return. What never returned has no end.
	From  int64 `json:"from"`
	Until int64 `json:"until"`
	// A sending of it has had no answer, so that this is not its first.
	WasResent bool `json:"wasResent"`
}

// historyLine is one operation of a history. Call and return are in nanoseconds since the run began.
type historyLine struct {
	Client  int     `json:"client"`
	Call    int64   `json:"call"`
	Return  *int64  `json:"return"`
	Request request `json:"request"`
	// Absent where nobody knows whether it happened.
	Answer *answer `json:"answer"`
}

// readHistory gives the operations of a file of JSON lines, key by key in the order of the file.
func readHistory(path string) (keys []string, byKey map[string][]porcupine.Operation, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	byKey = map[string][]porcupine.Operation{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		var one historyLine
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		key := one.Request.Key
		if _, isKnown := byKey[key]; !isKnown {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], toOperation(one))
	}
	return keys, byKey, lines.Err()
}

func toOperation(one historyLine) porcupine.Operation {
	end := never
	if one.Return != nil {
		end = *one.Return
	} else {
		one.Request.Until = never
	}
	return porcupine.Operation{
		ClientId: one.Client, Input: one.Request, Call: one.Call, Output: one.Answer, Return: end,
	}
}
