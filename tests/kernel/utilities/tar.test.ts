import { expect, it } from "@effect/vitest"
import { makeWorld, start } from "../shell/support.ts"
import { compare } from "./support.ts"

const long = "0123456789".repeat(13)

compare("tar writes the same bytes as Debian's", [
  "tar cf - abc.txt dup.txt empty link | md5sum",
  "tar -c abc.txt | wc -c",
  `cp -p abc.txt ${long}; tar cf - ${long} | md5sum; rm ${long}`,
  `ln -s ${long} l; tar cf - l | tar tf -; rm l`,
  "tar cf - --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner dir | md5sum",
  "tar cf - --sort=name --mtime=2020-01-01 --owner=joe --group=users:7 dir | tar tvf -",
  "tar cf - --format=pax abc.txt | tar tvf -",
])

compare("tar packs and unpacks as Debian's does", [
  "tar czf a.tgz dir abc.txt; tar tzf a.tgz | sort; tar xzf a.tgz -O dir/a.c; tar tf a.tgz dir/sub | sort; rm a.tgz",
  "tar cf a.tar dir; rm -r dir; tar xf a.tar; rm a.tar",
  "tar -czvf a.tgz dir abc.txt | sort; mkdir o; tar xzf a.tgz -C o; rm a.tgz",
  "tar cf a.tar dir; mkdir o; tar xf a.tar -C o --strip-components=1; rm a.tar",
  "tar cf a.tar dir; tar tf a.tar --exclude='*.c' | sort; rm a.tar",
  "tar cf - --exclude=sub dir | tar tf - | sort",
  "tar cf - --exclude='*.log' --exclude=./dir/x . | tar tf - | sort",
  "tar cf a.tar dir; tar tf a.tar missing; rm a.tar",
  "tar cf a.tar dir; tar xf a.tar --wildcards -O '*.c'; rm a.tar",
  "tar cf a.tar dir; tar tf a.tar '*.c'; rm a.tar; tar cf - missing | wc -c",
  "tar cf a.tar",
  "tar",
  "tar xf abc.txt",
  "tar tf empty",
  "tar xf nofile.tar",
  "tar cf a.tar abc.txt; tar rf a.tar dup.txt; tar tvf a.tar; rm a.tar",
  `cp -p abc.txt ${long}; ln abc.txt hard; tar cf a.tar ${long} abc.txt hard; tar tf a.tar; tar xf a.tar; stat -c %h hard; rm a.tar`,
  "tar cf a.tar -C dir a.c -C sub y.log; tar tf a.tar; rm a.tar",
  "chmod 640 abc.txt; tar cf a.tar abc.txt; tar xf a.tar; stat -c '%a %Y' abc.txt; rm a.tar",
  "tar cf a.tar abc.txt; tar xkf a.tar",
  "tar cf a.tar abc.txt; cp dup.txt abc.txt; tar xf a.tar --skip-old-files; tail -n 1 abc.txt; tar xf a.tar; rm a.tar",
  "echo abc.txt > names; echo '*.txt' > ex; tar cf - -T names | tar tf -; tar cf - -X ex dir abc.txt | tar tf - | sort",
  "tar cf a.tar abc.txt; head -c 700 a.tar | tar tf -; rm a.tar",
  "tar czf a.tgz abc.txt; head -c 60 a.tgz | tar xzf -; rm a.tgz",
  "tar cvf a.tar abc.txt a.tar; rm a.tar",
  "tar xzf abc.txt",
  "tar cf a.tar --remove-files dir; rm a.tar",
  "tar cPf a.tar dir/../abc.txt; mkdir o; tar xf a.tar -C o; rm a.tar",
], { tree: true })

const sh = (script: string) => start(makeWorld(), "sh", ["sh", "-c", script]).answer

it("tar extracts no member through a link of the archive that leads out of the directory", async () => {
  const made =
    "mkdir in out pack; ln -s ../out pack/l; tar cf a.tar -C pack l; rm pack/l; mkdir pack/l; echo x > pack/l/f\n"
  const { exitCode, stderr, stdout } = await sh(
    `${made} tar rf a.tar -C pack l/f; cd in; tar xf ../a.tar; echo $?; ls ../out; readlink l`,
  )
  expect(stdout).toBe("2\n../out\n")
  expect(stderr).toContain("tar: l/f: Cannot open: Not a directory\n")
  expect(exitCode).toBe(0)
})

it("tar extracts an absolute name below the directory", async () => {
  expect(await sh("echo new > /tmp/f; tar cPf a.tar /tmp/f; echo old > /tmp/f; tar xf a.tar; cat /tmp/f tmp/f"))
    .toMatchObject({ stdout: "old\nnew\n", stderr: "tar: Removing leading `/' from member names\n" })
})

it.each([
  ["-j", "bzip2 archives can only be read; write gzip (-z)"],
  ["-J", "xz archives can only be read; write gzip (-z)"],
  ["--zstd", "zstd archives are not supported; gzip (-z) is"],
])("tar does not write %s", async (option, message) => {
  const { exitCode, stderr } = await sh(`touch f; tar ${option} -cf a f`)
  expect([exitCode, stderr]).toEqual([2, `tar: ${message}\n`])
})

it("tar sets the details of no folder outside after a link has taken the place of its own", async () => {
  const { exitCode, stdout } = await sh(
    "mkdir in secret pack pack/d; chmod 700 secret; touch -d @1000 secret; chmod 777 pack/d; tar cf a.tar -C pack d; " +
      'rmdir pack/d; ln -s "$PWD/secret" pack/d; tar rf a.tar -C pack d; cd in; tar xf ../a.tar; echo $?; ' +
      "stat -c '%a %Y' ../secret; readlink d | sed 's/.*[/]//'",
  )
  expect(stdout).toBe("0\n700 1000\nsecret\n")
  expect(exitCode).toBe(0)
})

compare("tar renames members and reads lists of names as Debian's does", [
  "tar cf a.tar --transform='s,^dir,new,' dir abc.txt; tar tf a.tar | sort; tar cvf /dev/null --xform='s/a/A/g' abc.txt; rm a.tar",
  "tar cf a.tar dir abc.txt; tar xf a.tar --transform='s/\\.c$/.cc/;' --exclude=sub 2> /dev/null; echo $?; rm a.tar",
  "tar cf a.tar dir; mkdir o; tar xf a.tar -C o --strip-components=1 --transform='s,\\(.*\\)/\\(.*\\),\\2-\\1,x' 2> /dev/null; rm a.tar",
  "tar cf a.tar dir; mkdir o; tar xf a.tar -C o --transform='s/(a)\\./\\1\\1./x' --transform s,sub,SUB,; rm a.tar",
  "tar cf a.tar link; tar xf a.tar --transform=s/abc/xyz/; tar tf a.tar --transform=s/link/L/; rm a.tar",
  "printf 'abc.txt\\0space name.txt\\0' > l; tar cf a.tar --null -T l; tar tf a.tar; find dir -name '*.c' -print0 | tar cf a.tar --null -T -; tar tf a.tar; rm a.tar",
], { shell: true, tree: true })

it.each([
  ["up to the directory above", "s,^,../,"],
  ["to the root", "s,^,/tmp/,"],
])("a name that is changed to lead %s stays below the directory", async (_, expression) => {
  const script =
    `echo x > f; tar cf a.tar f; mkdir -p d/e; cd d/e; tar xf ../../a.tar --transform='${expression}'; cd ../..; find . /tmp -name f`
  const { stdout } = await start(makeWorld(), "sh", ["sh", "-c", script]).answer
  expect(stdout.trim().split("\n").filter((path) => !path.startsWith("./d/e/"))).toEqual(["./f"])
})

it.each(["y/a/b/", "s/a", "s,a,b,S", ""])("refuses the expression %s", async (expression) => {
  const script = `echo x > f; tar cf a.tar --transform='${expression}' f`
  const { exitCode, stderr } = await start(makeWorld(), "sh", ["sh", "-c", script]).answer
  expect(stderr).toMatch(/transform/)
  expect(exitCode).toBe(2)
})
