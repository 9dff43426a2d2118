/** The files that exist in every case, with fixed times. A value that begins with `-> ` is a link. */
export const fixture: Readonly<Record<string, string>> = {
  "abc.txt": "alpha beta gamma\ndelta epsilon\nalphabet soup\n\nBeta blocker\nzeta-alpha\nend of file\n",
  "binary": "one\0two\nthree\n",
  "dir/.hidden": "hidden\n",
  "dir/a.c": "int main(void) {\n\treturn 0;\n}\n",
  "dir/b.h": "#define B 1\n",
  "dir/sub/deep/x.txt": "deep alpha\n",
  "dir/sub/y.log": "log line 1\nlog line 2\nerror: bad\n",
  "dup.txt": "a\na\nb\nB\nb\nb\nc\nd\nd\nd\n",
  "empty": "",
  "fields.csv": "id,name,age\n3,carol,30\n1,alice,25\n2,bob,35\n10,dave,25\n",
  "link": "-> abc.txt",
  "long.txt": `${"x".repeat(200)} ${"word ".repeat(60)}\n`,
  "nonl.txt": "first\nsecond\nno newline at end",
  "numbers.txt": "10\n9\n-3\n2.5\n100\n1e3\n0\n9\n007\n",
  "passwd":
    "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/usr/sbin/nologin\nbob:x:1000:1000:Bob B:/home/bob:/bin/sh\n",
  "sizes.txt": "1K\n2M\n512\n1.5K\n3G\n10M\n",
  "space name.txt": "spaces\n",
  "sorted1": "a\nb\nc\ne\n",
  "sorted2": "b\nc\nd\nf\n",
  "tabs.txt": "a\tb\tc\n1\t22\t333\n\tlead\n   spaces  here\t\tx\n",
  "utf8.txt": "héllo wörld\nÀÉÎ ünïcode\n日本語 text\nplain\n",
  "versions.txt": "v1.10\nv1.9\nv1.2.3\nv1.2\nv1.2-rc1\nfile10.txt\nfile9.txt\n",
}

/** The files for cases that compare the remaining files: each case has its own copy. */
export const small: ReadonlySet<string> = new Set([
  "abc.txt",
  "binary",
  "dir/a.c",
  "dir/sub/deep/x.txt",
  "dir/sub/y.log",
  "dup.txt",
  "empty",
  "link",
  "long.txt",
  "nonl.txt",
  "space name.txt",
])

/** Seconds since 1970 of the file at an index: two days apart, so that `ls -t` and `find -newer` have an order. */
export const timeOf = (index: number): number => 1_700_000_000 + index * 172_800
