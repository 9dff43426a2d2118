/** Programs that say something else each time, or wait: stubs of them, the same on both sides. */
import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { systemProgram } from "./traced.ts"

/** Programs that say what is there at the moment, or ask a network or a registry: they say the same on both sides. */
const stubs: Readonly<Record<string, string>> = {
  ...Object.fromEntries("npm npx docker eslint lsof".split(" ").map((name) => [name, `echo "${name} $*"`])),
  ps: 'echo "PID COMMAND"; echo "1 init"; echo "99999 node server"',
  df: 'echo "Filesystem Size Used Avail Use% Mounted"; echo "/dev/x 10G 9G 1G 90% /"',
  shuf: "cat",
  // Where a script waits for a server it has to; elsewhere it only takes time.
  sleep: '[ "$1" != 2 ] || exec /bin/sleep 2',
  curl: "exit 7",
  wget: "exit 4",
}

export const stubNames: ReadonlyArray<string> = Object.keys(stubs)

/** Makes a folder of them. */
export const makeStubs = (bin: string): void => {
  mkdirSync(bin)
  for (const [name, text] of Object.entries(stubs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  // Where the tests have it is no place of a system's search path.
  symlinkSync(realpathSync(systemProgram("node")), join(bin, "node"))
}
