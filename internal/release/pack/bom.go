package main

import (
	"bytes"
	"time"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/copaflash/copaflash/internal/release"
)

// billOfMaterials lists what the program is made of, in CycloneDX's JSON. The sums of
// modules are those of go.sum, which no kind of hash of CycloneDX is.
func billOfMaterials(parts []module, when time.Time) ([]byte, error) {
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: when.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: "copaflash", Type: cyclonedx.ComponentTypeApplication, Name: "copaflash", Version: release.Version,
			PackageURL: "pkg:golang/github.com/copaflash/copaflash@v" + release.Version,
		},
	}
	var components []cyclonedx.Component
	var refs []string
	for _, m := range parts {
		ref := "pkg:golang/" + m.path + "@" + m.version
		refs = append(refs, ref)
		c := cyclonedx.Component{BOMRef: ref, Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: ref, Scope: cyclonedx.ScopeRequired}
		if m.sum != "" {
			c.Properties = &[]cyclonedx.Property{{Name: "golang:go.sum", Value: m.sum}}
		}
		components = append(components, c)
	}
	bom.Components = &components
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: "copaflash", Dependencies: &refs}}
	var b bytes.Buffer
	e := cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	err := e.Encode(bom)
	return b.Bytes(), err
}
