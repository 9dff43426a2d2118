import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { unshareScript } from "../../../src/leaves/isolated/unshareScript.ts"
import { isolationWorks } from "../../support/isolation.ts"
import { workshop } from "../../support/workshop.ts"

/** Makes mounts below `$1`, and removes them and their folders from the last one on while `$2` and the words after it run. */
const withVanishingMounts = `
for at in $(seq 60); do mkdir "$1/$at"; mount -t tmpfs none "$1/$at"; done
(for at in $(seq 60 -1 1); do umount "$1/$at"; rmdir "$1/$at"; done) &
shift
"$@"
status=$?
wait
exit $status`

// As of containers that end meanwhile: the removal of a folder takes its mount out of all namespaces.
it.live.skipIf(!isolationWorks)(
  "continues when mounts of the host vanish while it changes their flags",
  () =>
    Effect.gen(function* () {
      const { makeDirectory } = yield* workshop
      const [mounts, root] = [makeDirectory("mounts"), makeDirectory("root")]
      const namespaces = ["--user", "--map-root-user", "--mount"]
      const { status, stderr, stdout } = spawnSync("unshare", [
        ...[...namespaces, "sh", "-c", withVanishingMounts, "sh", mounts],
        ...[
          "unshare",
          ...namespaces,
          "--net",
          "--pid",
          "--fork",
          "--kill-child=KILL",
          "sh",
          "-c",
          unshareScript,
          "sluice",
        ],
        ...[root, "65536", "/", "0", "0", "new", "read-only", "/", "--", "echo", "ran"],
      ], { encoding: "utf8" })
      expect([status, stdout, stderr]).toEqual([0, "ran\n", ""])
    }),
)
