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
  `Serve command execution over HTTP. POST /exec takes a ShellExec as JSON and returns its events as NDJSON, SSE or one
  JSON result. GET /commands lists running and past commands and follows them live. GET /openapi.json describes the API,
  and GET / is a web console.

  A client with the token can run commands: those listed by --allow-command or ALLOWED_COMMANDS, else all. There is no
  TLS: listen on this machine only, or behind a TLS proxy.

  With --mcp, POST /mcp serves tools for agents. Their commands share the journal and the console.

  The first signal shuts down: running commands may continue for the time of --drain, then they are terminated. A second
  signal kills them.`

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
        description: "Keep the history across restarts",
      },
      {
        command: "sluice serve --mcp --allow-command git --allow-command ls",
        description: "Also serve tools for agents",
      },
      { command: "sluice serve --allow-command git --allow-cwd-root /srv", description: "Allow only git below /srv" },
    ]),
  )
