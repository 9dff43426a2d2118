import { expect, it } from "@effect/vitest"
import { Sandbox } from "@sluice/shell/sandbox"
import { compare } from "./support.ts"

/** Two members; the first has the name `a.txt` and a time. */
const twoMembers = "H4sICADxU2UAA2EudHh0AMtIzcnJ5wIAIDA6NgYAAAAfiwgAAAAAAAADK88vyknhAgCoYTjdBgAAAA=="

compare("zgrep searches compressed and other files as Debian's does", [
  "gzip -k abc.txt dup.txt; zgrep alpha abc.txt.gz; zgrep -n a abc.txt.gz dup.txt.gz | head -4; zgrep -c a abc.txt.gz dup.txt.gz nonl.txt; zgrep -h alpha abc.txt.gz dup.txt.gz",
  "gzip abc.txt; zgrep -i BETA abc.txt.gz; zgrep -l alpha abc.txt.gz dup.txt; zgrep nomatch abc.txt.gz; echo $?; zgrep -q alpha abc.txt.gz; echo $?; zgrep -e soup -e delta abc.txt.gz; cat abc.txt.gz | zgrep end; zgrep alpha < abc.txt.gz",
  "gzip -k abc.txt; zgrep -v -m1 x abc.txt.gz; zgrep --color=always alpha abc.txt.gz; zgrep -A1 -n soup abc.txt.gz; zgrep -E 'a{2}|soup' abc.txt.gz; zgrep alpha missing.gz; echo $?; echo soup > p; zgrep -f p abc.txt.gz; zgrep -- -alpha abc.txt.gz",
], { shell: true })

compare("gzip compresses and decompresses as Debian's does", [
  "gzip -c abc.txt | gzip -dc",
  "gzip abc.txt; gunzip -v nonl.txt; ls; gzip -d < abc.txt.gz; rm abc.txt.gz",
  "gzip -k abc.txt; gunzip -c abc.txt; rm abc.txt.gz",
  "gzip -k abc.txt; gzip abc.txt; gzip -f abc.txt; gunzip -k abc.txt.gz; rm abc.txt.gz",
  "gzip abc.txt; gunzip abc.txt.gz; stat -c %Y abc.txt",
  "gzip -S .zz abc.txt; ls; gunzip -S .zz abc.txt.zz",
  "gzip dir; gzip missing; gzip link; echo done",
  "gzip link",
  "gzip -f link; ls; rm link.gz",
  "gzip -r dir; find . | sort; gunzip -r dir",
  "gzip empty; gunzip -t empty.gz; zcat empty",
  "gzip -9 -c long.txt | zcat | md5sum; gzip -1c long.txt | gunzip | md5sum",
  "gunzip abc.txt",
  "zcat abc.txt",
  "zcat -f abc.txt",
  "cat empty | gzip -d",
  `echo ${twoMembers} | base64 -d > m.gz; zcat m.gz; gzip -l m.gz; gzip -lN m.gz`,
  `echo ${twoMembers} | base64 -d > m.gz; gunzip -N m.gz; ls; stat -c %Y a.txt`,
  `echo ${twoMembers} | base64 -d > m.gz; echo garbage | cat m.gz - > n.gz; zcat n.gz`,
  `echo ${twoMembers} | base64 -d > m.gz; printf '\\0\\0' | cat m.gz - > n.gz; zcat n.gz`,
  `echo ${twoMembers} | base64 -d | head -c 30 > m.gz; zcat m.gz`,
  `echo ${twoMembers} | base64 -d | head -c 36 > m.gz; gunzip m.gz; ls`,
  `echo ${twoMembers} | base64 -d | tr h x > m.gz; gzip -t m.gz`,
  `echo ${twoMembers} | base64 -d > m.gz; gzip -tv m.gz`,
  `echo ${twoMembers} | base64 -d > m.gz; gzip -lq m.gz m.gz; gzip -l m.gz m.gz`,
  "seq 100000 | gzip | gunzip | md5sum",
  "yes | head -n 3000000 | gzip -c | gzip -d | wc -c",
  "gzip -c abc.txt > x.gz; gzip -9c nonl.txt | cat x.gz - > y.gz; zcat y.gz; gzip -d x.gz; rm y.gz",
  "gzip -q dir",
  "gzip x.gz",
  "cp abc.txt x.gz; gzip x.gz; cp abc.txt y.tgz; gunzip y.tgz",
  "gzip --bogus",
  "gzip -n abc.txt; gunzip -N abc.txt.gz; ls",
], { tree: true })

it("expanded archives stay within the limits of files, and no partial file is left", async () => {
  await using sandbox = await Sandbox.open({ limits: { maxTotalFileBytes: 1_000_000 } })
  const { stderr, stdout } = await sandbox.run(
    "head -c 20000000 /dev/zero | gzip > z.gz; gunzip -k z.gz; echo $?; tar xzf z.gz; ls; zcat z.gz | wc -c",
  )
  expect(stdout).toBe("1\nz.gz\n20000000\n")
  expect(stderr).toBe("gunzip: write error: No space left on device\n")
})
