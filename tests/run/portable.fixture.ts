/** Gives its own descriptors to a script in the portable shell. */
import { shell } from "../../src/run/mod.ts"

const inherited = { stdin: "inherit", stdout: "inherit", stderr: "inherit", shell: "portable" } as const
await shell(inherited)`read -r first; cat; echo done; echo $first >&2`
await shell({ stdout: "ignore", shell: "portable" })`echo nothing`
await shell({ stdin: "inherit", stdout: "tee", shell: "portable" })`echo shown`
