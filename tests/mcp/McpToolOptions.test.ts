import { expect, it } from "@effect/vitest"
import * as McpServer from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stdio from "effect/Stdio"
import type { Journal } from "../../src/journal/Journal.ts"
import type { AccessPolicyError } from "../../src/policy/AccessPolicyError.ts"
import type { Shell } from "../../src/shell/Shell.ts"
import { OptionError } from "../../src/base/OptionError.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { MockShell } from "../../src/leaves/mock/MockShell.ts"
import { mcpRoutes, type McpRoutesOptions } from "../../src/mcp/http.ts"
import { codeTool, commandResources, commandTools, serveStdio } from "../../src/mcp/mod.ts"

type Services = McpServer.McpServer | Journal | Shell | Stdio.Stdio

const wrong: ReadonlyArray<readonly [option: string, value: unknown]> = [
  ["maxOutputByte", 5],
  ["maxOutputBytes", Number.NaN],
  ["maxResourceBytes", -1],
  ["defaultTimeout", 0],
  ["defaultTimeout", "soon"],
  ["defaultTimeout", "Infinity"],
  ["resultFormat", "json"],
]

it("refuses unknown and invalid options of the tools, in each layer, over stdio and over HTTP", async () => {
  const services = Layer.mergeAll(
    MockShell.layer([]),
    MemoryJournal.layer,
    McpServer.McpServer.layer,
    Stdio.layerTest({}),
  )
  for (const [option, value] of wrong) {
    const options = { [option]: value }
    const effects: ReadonlyArray<Effect.Effect<unknown, AccessPolicyError | OptionError, Services>> = [
      Effect.scoped(Layer.build(commandTools(options))),
      Effect.scoped(Layer.build(codeTool(options))),
      Effect.scoped(Layer.build(commandResources(options))),
      serveStdio(options),
    ]
    for (const effect of effects) {
      const error = await Effect.runPromise(Effect.flip(Effect.provide(effect, services)))
      expect([option, value, error]).toEqual([option, value, expect.objectContaining({ _tag: "OptionError", option })])
    }
    expect(() => mcpRoutes({ layer: MockShell.layer([]), token: "t", ...options } as McpRoutesOptions)).toThrow(
      OptionError,
    )
  }
})
