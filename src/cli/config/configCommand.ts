/**
 * Defines `sluice config` for effect/cli.
 *
 * @module
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { defaultConfigFile } from "./applyConfigFlag.ts"

const about = `Check a configuration file (TOML or JSON) of sluice serve, sluice mcp and sluice daemon. Starts nothing.

  Each key is the name of a flag. At the top level it applies to every command that has the flag, in a table named after a
  command to that command only. A file that contains a token must be readable by its owner only (chmod 600). [[tokens]]
  has name, one of token, token-env and token-file, rights, max-concurrent, and rate:

    allow-command = ["git", "ls"]
    allow-cwd-root = ["/srv/work"]
    limit = { memory = "512M", cpu = "10s" }

    [serve]
    port = 8787
    journal = "runs.db"

    [[tokens]]
    name = "ci"
    token-env = "CI_TOKEN"
    rights = ["read", "run"]
    rate = { requests = 100, per = "1m" }

  Exit status: 0 when every command can use the file, 125 otherwise.`

/** Makes `sluice config`. Its handler only reports the parsed words. */
export const makeConfigCommand = (
  choose: (file: string | undefined) => void,
): Command.Command<"config", {}> =>
  Command.make("config").pipe(
    Command.withDescription("Configuration files"),
    Command.withShortDescription("Check a configuration file"),
    Command.withSubcommands([
      Command.make(
        "check",
        {
          file: Argument.String("FILE").pipe(
            Argument.withDescription(`The file. Default: SLUICE_CONFIG, else ${defaultConfigFile}`),
            Argument.optional,
          ),
        },
        ({ file }) => Effect.sync(() => choose(Option.getOrUndefined(file))),
      ).pipe(
        Command.withDescription(about),
        Command.withShortDescription("Describe the effect of a file, or its mistakes"),
        Command.withExamples([{ command: "sluice config check /etc/sluice.toml", description: "Before a restart" }]),
      ),
    ]),
  )
