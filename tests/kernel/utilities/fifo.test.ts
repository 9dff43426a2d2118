/** Tests FIFOs: scripts against bash, and their open ends, snapshots and forks. */
import { expect, it } from "vitest"
import { Errno } from "@sluice/shell/kernel"
import { memory, overlay, Sandbox } from "@sluice/shell/sandbox"
import { FileFlag } from "../../../src/kernel/OpenFile.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { compare } from "./support.ts"

compare(
  "mkfifo and what it makes behave as on Linux",
  [
    "mkfifo p; cat p & echo x > p; wait",
    "mkfifo -m 600 p q; ls -l p | cut -c1-10; stat -c '%F %a %s' p q; test -p p; echo $?; test -f p; echo $?; find . -type p | sort; ls -F",
    "mkfifo p; mkfifo p; echo $?; mkfifo no/p; mkfifo; mkfifo -m zz r; ls",
    'mkfifo q; { for i in 1 2 3; do echo "job $i"; done > q; } & while read -r l; do echo "did ${l#job }"; done < q; wait; rm q',
    "mkfifo p; seq 3 > p | cat < p",
    "mkfifo p; cat < p & seq 5 > p; wait",
    "mkfifo p; exec 3<>p; echo hi >&3; read x <&3; echo got $x; exec 3>&-",
    "mkfifo p; (sleep 0.1; head -c 100000 p > /dev/null) & yes > p; echo $?; wait",
    "mkfifo p; head -n 1 p & yes > p; echo $?; wait",
    "mkfifo p; timeout 0.2 cat p; echo $?; timeout 0.2 sh -c 'echo x > p'; echo $?",
    "mkfifo p; : > p & cat p; wait; echo done",
    "mkfifo p; tee p < <(seq 3) > /dev/null & sort -r < p; wait",
    "mkfifo p q; sort p > q & cat q > o & seq 3 -1 1 > p; wait; cat o",
    "mkdir d; mkfifo d/p; grep -r foo d; echo $?; cp -r d e; ls -F d e; mv e/p f; ls -F; diff -r d d; cp d/p g & echo x > d/p; wait; cat g",
    "mkfifo p; cat < p & kill %1; wait $!; echo $?; echo x > p & cat p; wait",
    "mkfifo p; exec 3<>p 4>p 5<p; echo a >&4; read x <&5; echo $x; exec 3<&- 5<&-; echo b >&4; echo $?",
    "mkfifo p; echo one > p & exec 3<p; cat <&3; cat <&3; wait",
  ].map((script, at) => `mkdir fifo${at}; cd fifo${at}; ${script}`),
  { shell: true, needs: ["timeout"] },
)

const files = (mounts = { "/": memory() }) => VirtualFileSystem.make({ mounts, now: () => 0n })

it("opens without waiting, with O_NONBLOCK as open(2) says, and counts its buffer while it is open", () => {
  const fs = files({ "/": memory({ maxBytes: 100_000 }) })
  const open = (options: object) => fs.open(fs.root, "/p", options)
  expect(fs.makeFifo(fs.root, "/p", 0o644)).toBe(0)
  expect(fs.makeFifo(fs.root, "/p", 0o644)).toBe(-Errno.EEXIST)
  expect(open({ write: true, flags: FileFlag.nonblock })).toBe(-Errno.ENXIO)
  const reader = open({ read: true, flags: FileFlag.nonblock })
  const waiting = open({ read: true })
  if (typeof reader === "number" || typeof waiting === "number") throw new Error("not opened")
  expect([reader.read(new Uint8Array(1)), waiting.read(new Uint8Array(1))]).toEqual([0, -Errno.EAGAIN])
  const writer = open({ write: true, flags: FileFlag.nonblock })
  if (typeof writer === "number") throw new Error("not opened")
  expect(fs.usage()[0]?.usedBytes).toBe(65_536)
  fs.makeFifo(fs.root, "/full", 0o644)
  expect(fs.open(fs.root, "/full", { read: true })).toBe(-Errno.ENOSPC)
  expect(writer.write(new Uint8Array([7, 8]))).toBe(2)
  const byte = new Uint8Array(1)
  expect([waiting.read(byte), byte[0]]).toEqual([1, 7])
  for (const file of [writer, reader]) file.release()
  expect([waiting.read(byte), byte[0], waiting.read(byte)]).toEqual([1, 8, 0])
  waiting.release()
  expect(fs.usage()[0]?.usedBytes).toBe(0)
  expect(fs.open(fs.root, "/full", { read: true })).toBeTypeOf("object")
})

it("is in snapshots, forks and overlays, and not in folders of the host", async () => {
  await using sandbox = await Sandbox.open({ mounts: { "/data": overlay(memory()) } })
  await sandbox.run("mkfifo -m 620 p; cd /data; mkfifo q; ln q r")
  await using fork = await sandbox.fork()
  await using restored = await Sandbox.open({ mounts: { "/data": overlay(memory()) } })
  await restored.restore(await sandbox.snapshot())
  for (const one of [fork, restored]) {
    expect((await one.run("stat -c '%A %h %n' ~/p /data/*; echo x > /data/q & cat /data/r")).stdout).toBe(
      "prw--w---- 1 /home/user/p\nprw-r--r-- 2 /data/q\nprw-r--r-- 2 /data/r\nx\n",
    )
  }
})

it("opens again after a trap has run, as bash does", async () => {
  await using sandbox = await Sandbox.open()
  const { stdout } = await sandbox.run(
    "mkfifo p; trap 'echo usr; echo late > p &' USR1; (until pgrep -r S -P 1 sleep; do :; done > o; kill -USR1 $$) & sleep 60 & " +
      "read l < p; echo $l; kill %2",
  )
  expect(stdout).toBe("usr\nlate\n")
})

it("ends with the process that waits for it, and keeps nothing", async () => {
  await using sandbox = await Sandbox.open()
  await expect(sandbox.run("mkfifo p; echo x > p", { timeout: 100 })).rejects.toMatchObject({
    reason: { _tag: "Timeout" },
  })
  expect((await sandbox.run("df --output=used . | tail -n 1; cat p & echo y > p; wait")).stdout).toBe("    0\ny\n")
})
