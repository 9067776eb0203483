// Judges a history of claims with porcupine: whether it could be that of one row for each key, which is changed by one operation
// at a time, each at a moment between its call and its return. Prints a line of JSON; the exit status is 0 also where the
// history is refused.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/anishathalye/porcupine"
)

// verdict is what is printed.
type verdict struct {
	// `Ok`, `Illegal`, or `Unknown` where the time was not enough.
	Result     porcupine.CheckResult `json:"result"`
	Keys       int                   `json:"keys"`
	Operations int                   `json:"operations"`
	// The keys whose histories are not Ok.
	Refused []string `json:"refused"`
	Seconds float64  `json:"seconds"`
}

func main() {
	tableFile := flag.String("table", "", "the table of the state machine, as claim-table.ts writes it")
	history := flag.String("history", "", "the history, a file of JSON lines")
	picture := flag.String("picture", "", "where to write the HTML picture of the first key that is refused")
	limit := flag.Duration("timeout", time.Minute, "how long it may take in all")
	flag.Parse()
	err := readTable(*tableFile)
	var judged verdict
	if err == nil {
		judged, err = judge(*history, *picture, *limit)
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(judged)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func judge(history, picture string, limit time.Duration) (verdict, error) {
	keys, byKey, err := readHistory(history)
	judged := verdict{Result: porcupine.Ok, Keys: len(keys), Refused: []string{}}
	if err != nil {
		return judged, err
	}
	startedAt := time.Now()
	model := leaseModel.ToModel()
	for _, key := range keys {
		judged.Operations += len(byKey[key])
		// One key that takes long leaves time for the others. No time at all would be no limit.
		left := max(min(limit-time.Since(startedAt), limit/4), time.Millisecond)
		result, info := porcupine.CheckOperationsVerbose(model, byKey[key], left)
		if result == porcupine.Ok {
			continue
		}
		if picture != "" && result == porcupine.Illegal && judged.Result != porcupine.Illegal {
			if err := porcupine.VisualizePath(model, info, picture); err != nil {
				return judged, err
			}
		}
		if judged.Result != porcupine.Illegal {
			judged.Result = result
		}
		judged.Refused = append(judged.Refused, key)
	}
	judged.Seconds = time.Since(startedAt).Seconds()
	return judged, nil
}
