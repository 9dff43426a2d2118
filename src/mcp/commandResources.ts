/** Defines the MCP resources of the commands in a journal. */
import { InternalError, InvalidParams, Resource, ResourceTemplate } from "effect/ai/McpSchema"
import { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { findCommand } from "../history/findCommand.ts"
import { listCommands } from "../history/listCommands.ts"
import { commandOutput } from "../history/commandOutput.ts"
import { recordJson } from "../history/recordJson.ts"
import { Journal } from "../journal/JournalService.ts"
import type { OptionError } from "../base/OptionError.ts"
import { CollectedOutput } from "./CollectedOutput.ts"
import { commandsUri as root, commandUri, parseCommandUri } from "./commandUri.ts"
import { type McpToolOptions, type ToolSettings, withToolSettings } from "./McpToolOptions.ts"
import { toYaml } from "./toYaml.ts"

/** Maximum number of commands in the list, and of ids in a completion. */
const listLimit = 100

const yamlType = "application/yaml"

const maxTextLength = 500

/** The fields of a command in the list: without the arguments, which its line contains, and with long texts cut. */
const brief = (record: ReturnType<typeof recordJson>): ReturnType<typeof recordJson> =>
  Object.fromEntries(
    Object.entries(record).filter(([name]) => name !== "arguments").map(([name, value]) => [
      name,
      typeof value === "string" && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value,
    ]),
  )

const failed = ({ message }: Error): InternalError => new InternalError({ message })

/**
 * Resources of the commands in the journal of the context: `sluice://commands` lists the newest hundred,
 * `sluice://commands/{id}` is one command with its state and its output (YAML), `…/{id}/stdout` and `…/{id}/stderr` are
 * its outputs as text. The list cuts long texts. A unique prefix of an id is enough.
 *
 * Running commands are included, with the output so far. Output beyond `maxResourceBytes` loses its middle. Secrets are
 * markers, as everywhere in the journal.
 *
 * `resources/list` of the protocol contains the list and, as templates, the commands: Effect's server lists what was
 * registered, not what exists at that moment. The layer fails with an `OptionError` for an invalid option.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { commandResources } from "@sluice/shell/mcp"
 * import { Effect, Layer } from "effect"
 * import { McpProtocol, McpTest } from "effect/ai"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("echo", ["hello"], { commandId: "build-17" }))
 *   const client = yield* McpTest.makeClient(commandResources(), { protocols: [McpProtocol.v2025_11_25] })
 *   const { contents } = yield* client.readResource({ uri: "sluice://commands/build-17/stdout" })
 *   return contents[0]
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const content = await Effect.runPromise(Effect.scoped(program).pipe(Effect.provide(layer)))
 * console.log(content !== undefined && "text" in content && content.text) // hello
 * ```
 */
export const commandResources = (
  options: McpToolOptions = {},
): Layer.Layer<never, OptionError, McpServer | Journal> =>
  withToolSettings("commandResources", options, commandResourcesWith)

export const commandResourcesWith = (
  { maxResourceBytes }: Pick<ToolSettings, "maxResourceBytes">,
): Layer.Layer<never, never, McpServer | Journal> =>
  Layer.effectDiscard(Effect.gen(function* () {
    const server = yield* McpServer
    const journal = yield* Journal
    const annotations = Context.empty()

    const list = listCommands({ maxCommands: listLimit }).pipe(
      Stream.map((record) => ({ uri: commandUri(record.commandId), ...brief(recordJson(record)) })),
      Stream.runCollect,
      Effect.map((commands) => toYaml({ commands })),
    )

    const read = Effect.fnUntraced(function* (uri: string) {
      const parts = parseCommandUri(uri)
      if (parts === undefined) return yield* new InvalidParams({ message: `mcp: unknown resource ${uri}` })
      const record = yield* findCommand(parts.id).pipe(
        Effect.catchTag("LookupError", ({ message }) => Effect.fail(new InvalidParams({ message: `mcp: ${message}` }))),
      )
      const collected = new CollectedOutput(maxResourceBytes)
      yield* Stream.runForEach(
        commandOutput(record),
        ({ bytes, stream }) => Effect.sync(() => collected.push(stream, bytes)),
      )
      const output = collected.take()
      if (parts.output === "stdout") return { uri, mimeType: "text/plain", text: output.stdout }
      if (parts.output === "stderr") return { uri, mimeType: "text/plain", text: output.stderr }
      return { uri, mimeType: yamlType, text: toYaml({ ...recordJson(record), ...output }) }
    })

    const ids = (start: string) =>
      listCommands({ maxCommands: listLimit }).pipe(
        Stream.map(({ commandId }) => commandId),
        Stream.filter((id) => id.startsWith(start)),
        Stream.runCollect,
        Effect.map((values) => ({ completion: { values, total: values.length, hasMore: false } })),
        Effect.mapError(failed),
        Effect.provideService(Journal, journal),
      )

    const addTemplate = (path: string, name: string, description: string, mimeType: string): Effect.Effect<void> =>
      server.addResourceTemplate({
        template: new ResourceTemplate({ uriTemplate: `${root}/{id}${path}`, name, description, mimeType }),
        // Syntax of the route matcher: `::` is a colon, `:0` the first parameter.
        routerPath: `sluice:://commands/:0${path}`,
        completions: { id: ids },
        annotations,
        handle: (uri) =>
          Effect.provideService(read(uri), Journal, journal).pipe(
            Effect.map((content) => ({ contents: [content] })),
            Effect.catchTag("JournalError", (error) => Effect.fail(failed(error))),
          ),
      })

    yield* server.addResource({
      resource: new Resource({
        uri: root,
        name: "commands",
        description: `The newest ${listLimit} commands and their results`,
        mimeType: yamlType,
      }),
      annotations,
      handle: Effect.provideService(list, Journal, journal).pipe(
        Effect.map((text) => ({ contents: [{ uri: root, mimeType: yamlType, text }] })),
        Effect.mapError(failed),
      ),
    })
    yield* addTemplate("", "command", "A command: its result and its output", yamlType)
    yield* addTemplate("/stdout", "command-stdout", "What a command wrote to stdout", "text/plain")
    yield* addTemplate("/stderr", "command-stderr", "What a command wrote to stderr", "text/plain")
  }))
