/** Compares options that were accepted without an effect with the programs of Debian. */
import { expect, it } from "vitest"
import { memory, Sandbox } from "@sluice/shell/sandbox"
import { compare } from "./support.ts"

compare("options do what they say", [
  "mkdir f; touch f/a; ln -s a f/l; find f -follow -type l; find f -follow -type f | sort; find f -xdev -mount | sort",
  "mkdir g; touch -d 'yesterday 23:59' g/y; touch -d 'today 00:00' g/t; touch -d '2 days ago 12:00' g/z; find g -daystart -mtime 0 -type f; find g -daystart -mtime 1; find g -daystart -mtime +1",
  "mkdir h; cd h; touch -d @5 a; ln -s a l; touch -h -d @77 l; stat -c %Y a l; touch -h no; echo $?; touch -h -c no; echo $?; ls",
  "mkdir i; cd i; chmod -f 644 no; echo $?; chmod 644 no; echo $?",
  "mkdir j; cd j; mkdir d; ln -s d l; realpath -s l/../x . l | sed 's/.*\\/j/j/'; realpath -s no/x | sed 's/.*\\/j/j/'; realpath -es no/x; echo $?; realpath -sm no/x | sed 's/.*\\/j/j/'",
  "printf 'a:b:c' | tac -b -s :; echo; printf 'a\\nb\\nc\\n' | tac -b; echo; printf 'a:b:c:' | tac -s :",
], { shell: true })

it("does not enter other volumes with -xdev", async () => {
  await using sandbox = await Sandbox.open({ mounts: { "/home/user/data": memory() } })
  const { stdout } = await sandbox.run("touch a data/b; find . -xdev | sort; find . | sort")
  expect(stdout).toBe(".\n./a\n./data\n.\n./a\n./data\n./data/b\n")
})

it.each([
  "mkdir -Z d",
  "truncate -o -s 1 f",
  "tail --pid=1 f",
  "tail --retry f",
  "sed --debug p f",
  "sed --sandbox p f",
  "env -v",
])(
  "refuses %s",
  async (command) => {
    await using sandbox = await Sandbox.open()
    const { exitCode, stderr } = await sandbox.run(command, { check: false })
    expect(stderr).toMatch(/option/)
    expect(exitCode).toBeGreaterThan(0)
  },
)
