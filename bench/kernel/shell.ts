/** A page's program with a kernel and a shell, without utilities, whose bundle is measured. */
import { Kernel } from "../../src/kernel/mod.ts"
import { BufferFile } from "../../src/kernel/process/BufferFile.ts"
import { NullFile } from "../../src/kernel/process/NullFile.ts"
import { shellProgram } from "../../src/kernel/shell/ShellProgram.ts"
import { VirtualFileSystem } from "../../src/kernel/fs/VirtualFileSystem.ts"

const fileSystem = VirtualFileSystem.make({ now: () => 0n })
const kernel = Kernel.make({ fileSystem, programs: { sh: shellProgram() } })
const out = new BufferFile()
const process = kernel.start({
  program: "sh",
  args: [
    "sh",
    "-c",
    "for word in a b; do echo $word; done | while read -r line; do echo $line; done",
  ],
  fds: { 0: new NullFile(), 1: out, 2: out },
})
if (typeof process === "object") {
  void process.exited.then(() => console.log(out.text))
}
