// SPDX-License-Identifier: GPL-2.0
// The scraper of Alloy's component pyroscope.scrape, with its default settings but for the time
// limit, which a busy machine would exceed. It stores what the component would forward.
//
//	alloy HOST:PORT FOLDER
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/grafana/alloy/internal/component/discovery"
	"github.com/grafana/alloy/internal/component/pyroscope"
	"github.com/grafana/alloy/internal/component/pyroscope/scrape"
)

func main() {
	stored := &folder{path: os.Args[2], counts: map[string]int{}}
	sink := pyroscope.AppendableFunc(func(_ context.Context, l labels.Labels, samples []*pyroscope.RawSample) error {
		for _, sample := range samples {
			if err := stored.store(l.Get(model.MetricNameLabel), sample.RawProfile); err != nil {
				return err
			}
		}
		return nil
	})
	arguments := scrape.NewDefaultArguments()
	arguments.ScrapeTimeout = 100 * time.Second
	fanout := pyroscope.NewFanout([]pyroscope.Appendable{sink}, "test", prometheus.NewRegistry())
	manager, err := scrape.NewManager(scrape.Options{}, arguments, fanout,
		slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	targets := make(chan []*targetgroup.Group, 1)
	targets <- discovery.ComponentTargetsToPromTargetGroupsForSingleJob("test", []discovery.Target{
		discovery.NewTargetFromMap(map[string]string{
			model.AddressLabel: os.Args[1], "service_name": "test",
		}),
	})
	manager.Run(targets)
}
