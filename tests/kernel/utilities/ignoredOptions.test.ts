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
  "printf 'b 1\\na 2\\n' > u; join u u; join --check-order u u; echo $?; join --nocheck-order u u; printf 'a 1\\nb 2\\n' > s; join --check-order s s",
  "printf 'aaaa bbbb cccc dddd\\n' > w; xargs -x -n 3 -s 16 echo < w; echo $?; xargs -x -s 16 echo < w; xargs -L 1 -s 16 echo < w; echo $?; xargs -I% -s 16 echo % < w; echo $?; xargs -s 8 echo < w; echo $?",
  "id -r; echo $?; id -n; echo $?; id -ur; uname -p; uname -i; uname -pi",
  "mkdir k; ln -s k m; cd m; env pwd -L | grep -o '/[km]$'; env pwd -P | grep -o '/[km]$'; env pwd | grep -o '/[km]$'; env pwd -LP | grep -o '/[km]$'; PWD=/x env pwd -L | grep -o '/[km]$'; PWD=$PWD/. env pwd -L | grep -o '/[km]$'",
  "readlink -vq no; echo $?; readlink -qv no; echo $?; echo some text > o; ln -s o n; file -Lh n; file -hL n; md5sum -bt o; md5sum -tb o",
  "yes | head -c 200000 | tee -p out | head -1; echo ${PIPESTATUS[@]}; wc -c < out",
  "cd n1 2>/dev/null || mkdir n1; cd n1; echo x > x; ln -s x sl; ln -L sl hl; ln -P sl hp; ln sl hd; stat -c %F hl hp hd; echo q > q; ln -bs x q; cat q~; ln -sb --suffix=.o sl q; readlink q q.o; ln -b x hd; ls",
  "mkdir n2; cd n2; head -c 3000 /dev/zero > z; du -b -k z; du -k -b z; du -b -m z; timeout 5 sh -c 'exit 3'; echo $?; timeout --foreground 5 true; echo $?",
], { shell: true })

compare("-i asks before files are changed, as Debian's programs do", [
  "echo a > a; echo b > b; echo n | cp -i a b; echo $?; cat b; cp -i a b < /dev/null; cat b; cp -ni a b < /dev/null; echo y | cp -i a b; cat b; cp -in a b",
  "echo a > a; echo x > x; echo n | mv -i a x; echo $?; ls; echo n | mv -fi a x; ls; mv -if a x; ls; echo n > n; mv -in x n; ls",
  "echo x > x; echo q > q; echo n | ln -i x q; echo $?; ln -i x q < /dev/null; cat q; echo y | ln -i x q; stat -c %h x; ln -if x q; echo $?",
  "mkdir -p d/e; echo g > d/e/g; printf 'y\\ny\\nn\\nn\\n' | rm -ri d; echo $?; find d; printf 'y\\ny\\ny\\ny\\ny\\n' | rm -ri d; echo $?; ls",
  "touch 1 2 3 4; echo n | rm -I 1 2 3 4; echo $?; ls ?; rm -I 1 2 3 < /dev/null; ls ?; mkdir d; echo n | rm -rI d; ls -d d; echo y | rm -rI d; ls",
  "touch 5; echo n | rm -if 5; ls 5; touch 5; echo n | rm -fi 5; ls 5; rm --interactive=once 5; touch 6; echo n | rm --interactive 6; ls 6; rm --interactive=never 6; rm --interactive=bogus 6; echo $?",
  "ln -s no l; echo n | rm -i l; echo $?; mkdir m; echo y | rm -di m; ls; printf 'y\\nn\\n' | rm -i abc.txt dup.txt; ls ???.txt",
], { shell: true, tree: true })

it("does not remove files of other volumes with --one-file-system", async () => {
  await using sandbox = await Sandbox.open({ mounts: { "/home/user/d/data": memory() } })
  const { stdout, stderr } = await sandbox.run("touch d/a d/data/b; rm -r --one-file-system d; find d | sort", {
    check: false,
  })
  expect(stdout).toBe("d\nd/data\nd/data/b\n")
  expect(stderr).toContain("rm: skipping 'd/data', since it's on a different device")
})

it("timeout ends what its command has started, and with --foreground the command alone", async () => {
  await using sandbox = await Sandbox.open()
  const names = "ps -o comm= | grep -c sleep"
  const { stdout } = await sandbox.run(
    `timeout 0.05 sh -c 'sleep 61; :'; echo $?; ${names}; timeout --foreground 0.05 sh -c 'sleep 61; :'; ${names}; pkill sleep`,
    { check: false },
  )
  expect(stdout).toBe("124\n0\n1\n")
})

it("folds at characters, not at bytes, with -c", async () => {
  await using sandbox = await Sandbox.open()
  expect((await sandbox.run("printf 'äöü\\tx\\n' | LC_ALL=C.UTF-8 fold -c -w2")).stdout).toBe("äö\nü\t\nx\n")
})

it("finds no files that cannot be read with rg --no-messages, and says nothing", async () => {
  await using sandbox = await Sandbox.open()
  const { stderr, exitCode } = await sandbox.run("rg --no-messages x missing", { check: false })
  expect([stderr, exitCode]).toEqual(["", 2])
})

it("says in its help which options have no effect, and why", async () => {
  await using sandbox = await Sandbox.open()
  expect((await sandbox.run("df --help")).stdout).toContain("  -l, --local  (no effect: all volumes are local)\n")
  expect((await sandbox.run("df -l --sync /; ps -w -x; iconv -s < /dev/null; echo a: 1 | yq -M .a")).stdout).toMatch(
    /\n1\n$/,
  )
})

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
  "sed --posix p f",
  "xargs -p echo",
  "awk -P 1",
  "patch --verbose",
  "tar -cof a f",
  "jq --build-configuration .",
])(
  "refuses %s",
  async (command) => {
    await using sandbox = await Sandbox.open()
    const { exitCode, stderr } = await sandbox.run(command, { check: false })
    expect(stderr).toMatch(/option/)
    expect(exitCode).toBeGreaterThan(0)
  },
)
