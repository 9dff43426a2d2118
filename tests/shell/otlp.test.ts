import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { Shell } from "../../src/shell/Shell.ts"

it.live("exports spans and metrics by OpenTelemetry when its layer is provided, and nothing else changes", () =>
  Effect.gen(function* () {
    const received = new Map<string, string>()
    const collector: typeof globalThis.fetch = Object.assign(
      async (input: RequestInfo | URL, init?: RequestInit) => {
        const request = new Request(input, init)
        received.set(
          new URL(request.url).pathname,
          (received.get(new URL(request.url).pathname) ?? "") + await request.text(),
        )
        return new Response("{}", { headers: { "content-type": "application/json" } })
      },
      { preconnect: () => {} },
    )
    const resource = { serviceName: "builds" }
    const telemetry = Layer.merge(
      OtlpTracer.layer({ url: "http://localhost:4318/v1/traces", resource }),
      OtlpMetrics.layer({ url: "http://localhost:4318/v1/metrics", resource }),
    ).pipe(
      Layer.provide(OtlpSerialization.layerJson),
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, collector)),
    )
    yield* Stream.runDrain(Shell.exec(ShellExec.make("echo", ["hello"]))).pipe(
      Effect.withSpan("build"),
      Effect.provide(LocalShell.layer),
      Effect.provide(telemetry),
      Effect.provideService(Metric.MetricRegistry, new Map()),
    )
    const traces = received.get("/v1/traces") ?? ""
    expect(traces).toContain('"name":"Shell.exec"')
    expect(traces).toContain('"name":"build"')
    expect(traces).toContain('"key":"process.exit.code"')
    expect(received.get("/v1/metrics") ?? "").toContain("sluice_commands_started")
  }))
