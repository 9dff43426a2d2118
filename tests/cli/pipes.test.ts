import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"
import { sluice, sluiceLine, sluiceWords, startSluice } from "./support.ts"

const posix = it.effect.skipIf(process.platform === "win32")

posix(
  "ends silently with the status of SIGPIPE when the reader closes the pipe; its tree too",
  () =>
    Effect.gen(function* () {
      for (const flags of [[], ["--json"], ["--window", "lines:1"]]) {
        const { path, size } = yield* workshop
        const script = `(${heartbeat(path("heartbeat"))}) & exec yes`
        const running = yield* startSluice(["run", ...flags, "--", "sh", "-c", script])
        yield* eventually("something arrives", () => running.stdout() !== "" && size("heartbeat") > 0)
        running.hangUp()
        expect(yield* running.status, flags.join(" ")).toBe(141)
        expect(running.stderr()).toBe("")
        const last = size("heartbeat")
        expect(yield* settled(() => size("heartbeat"))).toBe(last)
      }
    }),
)

posix("stands in a pipeline before head", () =>
  Effect.gen(function* () {
    const script = `${sluiceLine} run -- yes | head -n 1; echo "\${PIPESTATUS[0]}"`
    const { stdout } = yield* sluice(["run", "--timeout", "9s", "--", "bash", "-c", script])
    expect(stdout).toBe("y\n141\n")
  }))

posix("stops the command while its output is not read, and continues it", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const script = `while :; do head -c 65536 /dev/zero; printf . >> '${path("rounds")}'; done`
    const running = yield* startSluice(["run", "--", "sh", "-c", script])
    running.pause()
    yield* eventually("it writes", () => size("rounds") > 0)
    const held = yield* settled(() => size("rounds"))
    // Each pipe, reader and buffer on the way takes a bit: some 64 KiB each, however long one waits.
    expect(held).toBeLessThan(40)
    running.resume()
    yield* eventually("it goes on", () => size("rounds") > held + 100)
  }))

it.effect.skipIf(process.platform !== "linux")(
  "loses nothing and repeats nothing in a pipe that does not block",
  () =>
    Effect.gen(function* () {
      // Perl, which is essential on Debian, makes the pipe non-blocking and reads slowly.
      const script = `
      use Fcntl; pipe(R, W); fcntl(W, F_SETFL, O_WRONLY | O_NONBLOCK);
      if (!fork) { open(STDOUT, ">&W"); close(R); exec @ARGV }
      close(W); my ($n, $ok) = (0, 1);
      while (my $line = <R>) { $n++; $ok = 0 if $line ne "$n\\n"; select(undef, undef, undef, 0.002) if $n % 2000 == 0 }
      wait; print "$n $ok ", $? >> 8, "\\n"`
      const inner = [...sluiceWords, "run", "--", "seq", "300000"]
      const { stdout } = yield* sluice(["run", "--timeout", "9s", "--", "perl", "-e", script, ...inner])
      expect(stdout).toBe("300000 1 0\n")
    }),
)
