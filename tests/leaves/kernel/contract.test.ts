import * as Layer from "effect/Layer"
import { hostFolder, KernelShell, readOnly } from "@sluice/shell/sandbox"
import { realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { fileURLToPath } from "node:url"
import { shellContract } from "../../support/shellContract.ts"
import { contractPrograms } from "./programs.ts"

const temporary = realpathSync(tmpdir())
const fixtures = fileURLToPath(new URL("../../fixtures", import.meta.url))

shellContract("KernelShell", {
  layer: ({ cwd = process.cwd(), ...settings }) =>
    KernelShell.layerWith({
      ...settings,
      cwd,
      files: { "/etc/passwd": "root:x:0:0::/root:/bin/sh\n" },
      // The files of the test, where the test has them.
      mounts: { [temporary]: hostFolder(temporary), [fixtures]: readOnly(hostFolder(fixtures)) },
      programs: contractPrograms,
    }).pipe(Layer.orDie),
  can: {
    files: true,
    trees: true,
    escapees: true,
    runaways: true,
    backPressure: true,
    limits: false,
    clock: true,
    resolvesPath: true,
  },
  everyCase: true,
  because: { limits: "a sandbox has limits of its own, for all its processes" },
})
