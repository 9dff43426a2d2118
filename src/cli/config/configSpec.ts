/** Describes `sluice config check`: its help and its operand. */
import type { CommandGroup } from "../CommandSpec.ts"
import { defaultConfigFile } from "./applyConfigFlag.ts"

const about = `Check a configuration file (TOML or JSON) of sluice serve, mcp, daemon and run --explain. Starts nothing.

  Each key is the name of a flag. At the top level it applies to every command that has the flag, in a table named after a
  command to that command only; [run] has the policy of --explain, and no flags of the command itself, such as timeout. A file that contains a token must be readable by its owner only (chmod 600). [[tokens]]
  has name, one of token, token-env and token-file, rights, max-concurrency, and rate:

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

export const configSpec: CommandGroup = {
  name: "config",
  short: "Check a configuration file",
  about: "Configuration files",
  flags: {},
  commands: [{
    name: "check",
    short: "Describe the effect of a file, or its mistakes",
    about,
    operand: { name: "FILE", about: `The file. Default: SLUICE_CONFIG, else ${defaultConfigFile}`, min: 0, max: 1 },
    flags: {},
    examples: [["sluice config check /etc/sluice.toml", "Before a restart"]],
  }],
}
