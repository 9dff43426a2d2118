import { expect, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schema from "effect/Schema"
import { prometheusText } from "../../src/http/prometheus.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { type Fixture, run, sh, start } from "./journaled.ts"
import { post } from "./support.ts"

it("reports health to any client, and nothing else", async () => {
  const { url } = await start()
  const response = await fetch(`${url}/health`)
  expect([response.status, await response.json()]).toEqual([200, { status: "ok" }])
})

const sample =
  /^(?:# (?:HELP|TYPE) .+|[a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})? (?:-?[\d.]+(?:e[+-]?\d+)?|[+-]Inf|NaN))$/

it("exposes its metrics in the format of Prometheus", async () => {
  const fixture = await start()
  await run(fixture.client.run(sh("echo hello")))
  await fixture.ask("/exec", post({ command: "no-such-program" }))
  const response = await fixture.ask("/metrics")
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  const text = await response.text()
  expect(text.endsWith("\n")).toBe(true)
  for (const line of text.trimEnd().split("\n")) expect(line).toMatch(sample)
  expect(text).toMatch(/^# TYPE sluice_commands_started_total counter$/m)
  expect(text).toMatch(/^sluice_commands_started_total [1-9]\d*$/m)
  expect(text).toMatch(/^sluice_commands_running 0$/m)
  expect(text).toMatch(/^sluice_commands_finished_total\{reason="Exit"\} [1-9]\d*$/m)
  expect(text).toMatch(/^sluice_output_bytes_total\{stream="stdout"\} [1-9]\d*$/m)
  expect(text).toMatch(/^sluice_command_duration_ms_bucket\{le="\+Inf"\} [1-9]\d*$/m)
  expect(text).toMatch(/^sluice_command_duration_ms_count [1-9]\d*$/m)
  expect(text).toMatch(/^sluice_http_requests_total\{method="POST",route="\/exec",status="404"\} [1-9]\d*$/m)
})

it("writes labels, boundaries and counts as the format wants them", () => {
  const context = Context.make(Metric.MetricRegistry, new Map())
  const tricky = Metric.withAttributes(Metric.counter("sluice_tricky", { description: "a\\b\nc" }), { what: `q"\\\n` })
  tricky.updateUnsafe(3, context)
  const times = Metric.histogram("sluice_times", { boundaries: [1, 10] })
  for (const time of [0.5, 5, 5, 50]) times.updateUnsafe(time, context)
  Metric.counter("somebody_elses").updateUnsafe(1, context)
  const text = prometheusText(context)
  expect(text).toContain("# HELP sluice_tricky_total a\\\\b\\nc\n")
  expect(text).toContain(`sluice_tricky_total{what="q\\"\\\\\\n"} 3\n`)
  const lines = text.split("\n").filter((line) => line.startsWith("sluice_times"))
  expect(lines).toEqual([
    `sluice_times_bucket{le="1"} 1`,
    `sluice_times_bucket{le="10"} 3`,
    `sluice_times_bucket{le="+Inf"} 4`,
    "sluice_times_sum 60.5",
    "sluice_times_count 4",
  ])
  expect(text).not.toContain("somebody_elses")
})

const Operation = Schema.Struct({
  summary: Schema.String,
  responses: Schema.Record(Schema.String, Schema.Unknown),
})

const Document = Schema.Struct({
  openapi: Schema.Literal("3.1.0"),
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)),
  components: Schema.Struct({
    schemas: Schema.Record(Schema.String, Schema.Unknown),
    responses: Schema.Record(Schema.String, Schema.Unknown),
  }),
})

const documentOf = async (url: string) => {
  const response = await fetch(`${url}/openapi.json`)
  return Schema.decodeUnknownSync(Document)(await response.json())
}

/** A validator of one of the document's Schemas, as any client would make it. */
const validatorOf = (document: typeof Document.Type, name: string) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  ajv.addSchema({ $id: "https://server.example/openapi.json", ...document })
  const validate = ajv.getSchema(`https://server.example/openapi.json#/components/schemas/${name}`)
  if (validate === undefined) throw new Error(`no schema ${name}`)
  return (value: unknown): unknown => validate(value) ? "valid" : validate.errors
}

it("describes every route that it has, in OpenAPI 3.1", async () => {
  const fixture = await start()
  const document = await documentOf(fixture.url)
  const methods = ["get", "post", "delete"]
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.filter((method) => method in item).map((method) => {
      Schema.decodeUnknownSync(Operation)(item[method])
      return [path.replaceAll(/\{[a-z]+\}/g, "x"), method.toUpperCase()] as const
    })
  )
  expect(operations).toHaveLength(14)
  // A method that a route has not is a 405: so each of these is one, and there is no other.
  for (const [path, method] of operations) {
    const response = await fixture.ask(path, { method })
    expect([path, method, response.status === 405]).toEqual([path, method, false])
    await response.body?.cancel()
    for (const other of methods.map((one) => one.toUpperCase())) {
      const described = operations.some(([known, how]) => known === path && how === other)
      // "events" is no command to be ended.
      if (described || path === "/commands/events") continue
      expect([path, other, (await fixture.ask(path, { method: other })).status]).toEqual([path, other, 405])
    }
  }
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)
  for (const [, reference = ""] of references) {
    const found = reference.split("/").reduce<unknown>(
      (at, key) => typeof at === "object" && at !== null ? Reflect.get(at, decodeURIComponent(key)) : undefined,
      document,
    )
    expect([reference, typeof found]).toEqual([reference, "object"])
  }
})

it("is described by a document in which a linter of OpenAPI finds nothing", async () => {
  const { url } = await start()
  const source = await (await fetch(`${url}/openapi.json`)).text()
  const config = await createConfig({ extends: ["recommended-strict"] })
  const found = async (text: string) =>
    (await lintFromString({ source: text, absoluteRef: "openapi.json", config }))
      .map(({ location: [at], message, ruleId }) => [ruleId, message, at?.pointer])
  expect(await found(source)).toEqual([])
  // It would find something.
  expect(await found(source.replace(`"operationId":"getHealth"`, `"operationId":"getMetrics"`))).toHaveLength(1)
})

it("counts in the registry of its own services, when several are in one process", async () => {
  const registry = () => Layer.merge(LocalShell.layer, Layer.succeed(Metric.MetricRegistry, new Map()))
  const first = await start({ layer: registry() })
  const second = await start({ layer: registry() })
  await fetch(`${first.url}/health`)
  for (const script of ["echo one", "echo two"]) await run(first.client.run(sh(script)))
  await run(second.client.run(sh("echo three")))
  const metricsOf = async ({ ask }: Fixture) => await (await ask("/metrics")).text()
  const [one, two] = [await metricsOf(first), await metricsOf(second)]
  expect(one).toMatch(/^sluice_commands_started_total 2$/m)
  expect(two).toMatch(/^sluice_commands_started_total 1$/m)
  expect(one).toMatch(/^sluice_commands_finished_total\{reason="Exit"\} 2$/m)
  const posts = (text: string) =>
    /^sluice_http_requests_total\{method="POST",route="\/exec",status="200"\} (\d+)$/m.exec(text)?.[1]
  expect([posts(one), posts(two)]).toEqual(["2", "1"])
  // Before there were services, too.
  expect(one).toMatch(/^sluice_http_requests_total\{method="GET",route="\/health",status="200"\} 1$/m)
  expect(two).not.toContain(`route="/health"`)
})

it("responds as its own Schemas say, checked by an independent validator", async () => {
  const fixture = await start()
  const document = await documentOf(fixture.url)
  const is = (name: string, value: unknown): void =>
    expect([name, validatorOf(document, name)(value)]).toEqual([name, "valid"])
  const body = { command: "sh", arguments: ["-c", "echo out; exit 3"], commandId: "c", timeout: 5_000 }
  is("ShellExec", body)
  is("ShellOutput", await (await fixture.ask("/exec", post(body))).json())
  is("CommandAccepted", await (await fixture.ask("/exec?detached", post({ ...body, commandId: "d" }))).json())
  is("CommandPage", await (await fixture.ask("/commands")).json())
  is("CommandInfo", await (await fixture.ask("/commands/c")).json())
  is("Problem", await (await fixture.ask("/exec", post({ command: "no-such-program" }))).json())
  is("Problem", await (await fixture.ask("/exec", post({ command: 7 }))).json())
  is("Health", await (await fixture.ask("/health")).json())
  const lines = await (await fixture.ask("/commands/d/events", { headers: { accept: "application/x-ndjson" } })).text()
  for (const line of lines.trim().split("\n")) is("ShellEvent", JSON.parse(line))
  expect(validatorOf(document, "ShellExec")({ command: 7 })).not.toBe("valid")
  expect(validatorOf(document, "CommandInfo")({ commandId: "c" })).not.toBe("valid")
})
