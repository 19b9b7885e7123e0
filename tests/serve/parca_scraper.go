// SPDX-License-Identifier: GPL-2.0
// Parca's scraper, with its default settings but for the time limit, which a busy machine would
// exceed. It stores what it would hand to Parca's store.
//
//	parca HOST:PORT FOLDER
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/go-kit/log"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/model/labels"

	profilepb "github.com/parca-dev/parca/gen/proto/go/parca/profilestore/v1alpha1"
	"github.com/parca-dev/parca/pkg/config"
	"github.com/parca-dev/parca/pkg/scrape"
)

type server struct {
	profilepb.UnimplementedProfileStoreServiceServer
	folder folder
}

func (s *server) WriteRaw(_ context.Context, r *profilepb.WriteRawRequest) (*profilepb.WriteRawResponse, error) {
	for _, series := range r.Series {
		for _, label := range series.Labels.Labels {
			if label.Name != model.MetricNameLabel {
				continue
			}
			for _, sample := range series.Samples {
				if err := s.folder.store(label.Value, sample.RawProfile); err != nil {
					return nil, err
				}
			}
		}
	}
	return &profilepb.WriteRawResponse{}, nil
}

func main() {
	settings, err := config.Load("scrape_configs: [{job_name: test, scrape_timeout: 100s}]")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := &server{folder: folder{path: os.Args[2], counts: map[string]int{}}}
	manager := scrape.NewManager(log.NewLogfmtLogger(log.NewSyncWriter(os.Stderr)),
		prometheus.NewRegistry(), s, settings.ScrapeConfigs, labels.EmptyLabels())
	targets := make(chan map[string][]*targetgroup.Group, 1)
	targets <- map[string][]*targetgroup.Group{"test": {{
		Source:  "0",
		Targets: []model.LabelSet{{model.AddressLabel: model.LabelValue(os.Args[1])}},
	}}}
	if err := manager.Run(targets); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
