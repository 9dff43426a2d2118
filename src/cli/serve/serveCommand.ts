/**
 * Defines `sluice serve` for effect/cli.
 *
 * @module
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { type FlagTexts, givenFlags, makeFlags } from "../makeFlag.ts"
import type { FlagWords } from "../flagValues.ts"
import { serveFlags } from "./flags.ts"

const about =
  `Serve POST /exec: a ShellExec as JSON in, its events as NDJSON, SSE or one JSON result out; and GET /commands:
  what runs and ran, followed live and resumed. GET /openapi.json describes all of it, and GET / is a page that shows it.

  A client with the token can run commands: those that --allow-command or ALLOWED_COMMANDS names, else all. There is no
  TLS: keep it on this machine, or behind a proxy that encrypts.

  With --mcp agents have tools at POST /mcp: their commands are those of the same server, in its journal and on its page.

  A first signal ends it: commands go on for as long as --drain says, then they are ended; a second one kills them.`

/** Makes `sluice serve`. Its handler only reports the parsed words. */
export const makeServeCommand = (
  choose: (words: FlagWords) => void,
): Command.Command<"serve", { readonly flags: Readonly<Record<string, FlagTexts>> }> =>
  Command.make(
    "serve",
    { flags: makeFlags(serveFlags) },
    ({ flags }) => Effect.sync(() => choose(new Map(givenFlags(flags)))),
  ).pipe(
    Command.withDescription(about),
    Command.withShortDescription("Serve commands over HTTP"),
    Command.withExamples([
      {
        command: "sluice serve --journal runs.db --drain 30s",
        description: "Commands are still there after a restart",
      },
      { command: "sluice serve --mcp --allow-command git --allow-command ls", description: "With tools for agents" },
      { command: "sluice serve --allow-command git --allow-cwd-root /srv", description: "Only git, only there" },
    ]),
  )
