import { afterAll } from "@effect/vitest"
import { Shell } from "@sluice/shell"
import { IsolatedShell } from "@sluice/shell/isolated"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isolatedFlags, isolationWorks } from "../../support/isolation.ts"
import { shellContract } from "../../support/shellContract.ts"

const repository = fileURLToPath(new URL("../../..", import.meta.url))

// The folders of the tests are in a temporary folder of this file's own, which the leaf may write to: other programs that isolate
// commands in the machine's own would remove what stands for its missing files.
const temporary = realpathSync(mkdtempSync(join(tmpdir(), "sluice-")))
process.env["TMPDIR"] = temporary
afterAll(() => rmSync(temporary, { recursive: true, force: true }))

shellContract("IsolatedShell", {
  layer: (settings) =>
    Layer.effect(
      Shell,
      Effect.catchTag(
        IsolatedShell.make({ writable: [temporary], readable: [repository], ...settings }),
        "IsolationError",
        (error) => Effect.die(error),
      ),
    ),
  can: isolatedFlags,
  because: {
    clock: "the engine starts in real time",
    background: "the walls end with their command, and with them all that is inside",
  },
}, isolationWorks)
