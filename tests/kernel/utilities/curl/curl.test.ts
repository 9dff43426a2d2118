import { compareWith } from "./compare.ts"

const curl = (title: string, scripts: ReadonlyArray<string>, isQuiet?: boolean) =>
  compareWith("curl", `curl ${title}`, scripts, isQuiet)

curl("gets pages, with their headers where it is asked", [
  "curl -sS $U/a",
  "curl -s $U",
  "curl -sS ${U#http://}/a/../b/./c?d=e#f",
  "curl -sSi $U/a",
  "curl -sSI $U/a",
  "curl -sS -D - $U/a",
  "curl -sS -D head.txt -o body.txt $U/a",
  "curl -sS $U/chunked $U/closed",
  "curl -sSi $U/closed",
  "curl -sS $U/nothing -o none.txt; ls",
  "curl -sS --no-buffer -# $U/a 2>/dev/null",
  "curl -sS --url $U/a --url $U/b",
])

curl("sends methods, headers and data", [
  "curl -sS -X DELETE $U/a",
  "curl -sS -X PATCH -d x=1 $U/a",
  "curl -sS -H 'X-One: 1' -H 'x-two:2' -H 'X-Empty;' -H 'Accept:' $U/a",
  "curl -sS -H @headers.txt $U/a",
  "curl -sS -H 'User-Agent: me' -A you -e http://from.example/ $U/a",
  "curl -sS -d a=1 -d b=2 --data-raw @c --data-binary @data.txt $U/post",
  "curl -sS -d @data.txt $U/post",
  "curl -sS -d '' $U/post",
  "curl -sS --data-urlencode 'a b&c' --data-urlencode 'name=ä €' --data-urlencode =x=y --data-urlencode f@data.txt --data-urlencode @data.txt $U/post",
  "curl -sS -G -d a=1 --data-urlencode 'q=x y' $U/get?z=0",
  "curl -sSG $U/get --url-query a=b --url-query 'c d' --url-query +e%20f",
  `curl -sS --json '{"a":' --json ' 1}' $U/post`,
  "curl -sS --json @page.html -H 'Content-Type: text/x' $U/post",
  "printf 'from stdin' | curl -sS -d @- $U/post",
  "printf 'from stdin' | curl -sS --data-binary @- -H 'Transfer-Encoding: chunked' $U/post",
  "curl -sS -I -G -d a=b $U/head",
])

curl("sends forms and files", [
  "curl -sS -F a=b -F 'c=d;type=text/x' $U/form",
  "curl -sS -F f=@page.html -F 'g=@lines.csv;type=text/csv;filename=other.csv' -F h=@data.txt $U/form",
  "curl -sS -F 'text=<page.html' -F 'quoted=\"a;b\"' --form-string 's=@page.html;type=x' $U/form",
  `curl -sS -F 'we"ird=@page.html;filename="a\\"b.html"' $U/form`,
  "curl -sS -T page.html $U/up",
  "curl -sS -T page.html $U/folder/",
  "cat page.html | curl -sS -T - $U/up",
  "curl -sS -X POST -T page.html $U/up",
  "curl -sS -T page.html -T data.txt $U/one $U/two",
])

curl("follows redirects", [
  "curl -sS $U/to/301/a",
  "curl -sSL $U/to/302/a",
  "curl -sSL $U/to/302/to/301/b",
  "curl -sSiL $U/to/307/a",
  "curl -sSL -d x=1 $U/to/301/a",
  "curl -sSL -d x=1 $U/to/302/a",
  "curl -sSL -d x=1 $U/to/303/a",
  "curl -sSL -d x=1 $U/to/307/a",
  "curl -sSL -d x=1 $U/to/308/a",
  "curl -sSL --post301 --post302 -d x=1 $U/to/301/to/302/a",
  "curl -sSL -X PUT -d x=1 $U/to/302/a",
  "curl -sSL -T page.html $U/to/303/a",
  "curl -sSLI $U/to/302/a",
  "curl -sSL --max-redirs 3 $U/loop/0",
  "curl -sSL --max-redirs 0 $U/to/302/a",
  "curl -sSL $U/loop/0",
  "curl -sSL -e ';auto' $U/to/302/a",
  "curl -sSL -o /dev/null -w '%{num_redirects} %{url_effective} %{http_code} %{redirect_url}\\n' $U/to/302/a | sed s,$U,,",
  "curl -sS -o /dev/null -w '%{redirect_url}\\n' $U/to/302/a | sed s,$U,,",
  "curl -sSL -u user:pa:ss -b c=1 -H 'Cookie: d=2' $U/to/302/auth",
  "curl -sSL $U/to/302/ftp://x/ ; curl -sSL --proto-redir =https $U/to/302/a",
])

curl("authenticates, and keeps cookies", [
  "curl -sS -u user:pa:ss $U/auth",
  "curl -sS -u wrong: $U/auth",
  "curl -sS http://user:pa%3Ass@${U#http://}/auth",
  "curl -sS --oauth2-bearer token $U/a",
  "curl -sS -b 'a=b; c=d' $U/a",
  "curl -sS -c jar -o /dev/null $U/cookies; sed -E 's/[0-9]{9,}/TIME/' jar; rm jar",
  "curl -sS -c jar $U/cookies -o /dev/null; curl -sS -b jar $U/cookies/deep; curl -sS -b jar $U/other; rm jar",
  "curl -sS -b jar.txt $U/a",
  "curl -sS -b jar.txt -b x=y $U/a",
  "curl -sS -j -b jar.txt $U/a",
  "curl -sS -b '' $U/cookies $U/again",
  "curl -sS -b none.txt -c - $U/a",
])

curl(
  "writes files",
  [
    "curl -sS -o out.txt $U/a",
    "curl -sSO $U/folder/name.txt?query=1",
    "curl -sSOJ $U/named; ls",
    "curl -sSO --output-dir sub $U/x.txt; ls",
    "curl -sSO --create-dirs --output-dir sub/deep $U/x.txt",
    "curl -sS --create-dirs -o a/b/c.txt $U/x",
    "curl -sS -o none/x.txt $U/x",
    "curl -sSO $U/",
    "curl -sS -o one.txt $U/a -o two.txt $U/b $U/c",
    "curl -sS -o 'n#1-#2.txt' $U/{a,b}[1-2]",
    "curl -sS --remote-name-all $U/a.txt $U/b.txt",
    "curl -sSR -o dated.txt $U/dated; date -r dated.txt +%s",
    "curl -sS -C - -o part.txt $U/long; wc -c < part.txt",
    "curl -sS -C 48880 $U/long",
    "curl -sS -C 5 $U/a",
    "curl -sS -C - -o part.txt $U/long; curl -sS -C - -o part.txt $U/long; echo $?; wc -c < part.txt",
    "curl -sS -r 0-5 $U/long",
    "curl -sS -r 10-19 -i $U/long",
    "curl -sS --compressed $U/gzip | tail -n 1",
    "curl -sS --compressed $U/deflate",
    "curl -sS -z 'Wed, 21 Oct 2015 07:28:00 GMT' $U/dated; curl -sS -z '1 Jan 2014' $U/dated; curl -sS -z '-1 Jan 2014' $U/dated",
  ],
)

curl("shows facts about transfers", [
  "curl -s -o /dev/null -w '%{http_code} %{response_code} %{size_download} %{content_type} %{method} %{scheme} %{num_redirects} %{http_version} %{exitcode} %{urlnum}\\n' $U/a $U/b",
  "curl -s -o f.txt -w '%{filename_effective}\\t%{num_headers}\\t%{size_upload}\\t%%\\t%{header_json}\\n' $U/a",
  "curl -s -d abc -w '%{stderr}E%{stdout}O%header{x-twice}' $U/a",
  "curl -s -w '%{onerror}failed: %{errormsg}\\n' $U/a; curl -s -w '%{onerror}failed: %{exitcode}\\n' $U/empty",
  "curl -s -w '%{size_header} %{num_connects} %{remote_ip}\\n' $U/a",
  "printf 'status %%{http_code}' > format; curl -s -w @format $U/a",
  "curl -s -w '%{nonsense}' $U/a",
])

curl("fails as curl does, with its messages", [
  "curl -fsS $U/status/404",
  "curl -fsS -o none.txt $U/status/500; ls none.txt 2>/dev/null",
  "curl -fsSi $U/status/404",
  "curl -sS --fail-with-body $U/status/404",
  "curl -sS $U/status/404",
  "curl -sS http://127.0.0.1:99999/",
  "curl -sS 'http://exa mple/'",
  "curl -sS ftp://example.org/ --proto =http",
  "curl -sS gopherx://example.org/",
  "curl -sS $U/empty",
  "curl -sS $U/reset",
  "curl -sS $U/short",
  "curl -sS $U/shortchunk",
  "curl -sS --proto =https $U/a",
  "curl -sS -F a=@none.txt $U/a",
  "curl -sS -T none.txt $U/a",
  "curl -sS -K none.txt $U/a",
  "curl -sS --max-filesize 10 $U/long",
  "curl -sS",
  "curl -sS $U/a{b",
  "curl -sS $U/[3-1]",
  "curl --nonsense $U/a",
  "curl -o",
  "curl --dat a $U/a",
  "curl -F nothing $U/a",
  "curl --retry x $U/a",
  "curl -sS $U/empty $U/a; echo $?; curl -sS --fail-early $U/empty $U/a",
])

curl("fails as curl does", [
  "curl -sS --max-time 0.3 $U/silent",
  "curl -sS --max-time 0.3 $U/slow",
  "curl -s --connect-timeout 5 http://127.0.0.1:1/",
  "curl -s --compressed $U/badgzip",
  "curl -I -d a=b $U/a",
  "curl -s $U/none -H @nothing.txt",
  "curl -s -d @none.txt $U/post",
], false)

curl("tries again", [
  "curl -s --retry 3 --retry-delay 1 $U/flaky/1",
  "curl -s --retry 1 --retry-delay 1 -o out.txt $U/status/503; cat out.txt",
  "curl -fs --retry 1 --retry-delay 1 $U/status/503",
  "curl -s --retry 2 $U/status/404",
  "curl -s --retry 1 --retry-all-errors $U/empty",
])

curl("reads configurations, several URLs and groups", [
  `printf 'url = "%s/a"\\nheader = "X-Config: \\\\"yes\\\\""\\n# comment\\n-s\\nuser-agent=me\\n' $U > config; curl -sS -K config`,
  "printf 'data: x\\n--silent\\n' | curl -K - $U/post",
  "curl -sS $U/{one,two}/[1-3]?x=[a-c:2]",
  "curl -sS $U/[01-11:5]",
  "curl -sSg $U/a?b=[c]",
  "curl -sS -d a=1 $U/one --next -H 'X-B: 2' $U/two",
  "curl -sS $U/a -: -I $U/b",
  "curl -sSXPOST -HX-A:1 $U/a",
  "printf 'silent\\nheader = \"X-Rc: 1\"\\n' > .curlrc; curl $U/a; curl -q -s $U/b",
  "curl -sS -- $U/a",
])
