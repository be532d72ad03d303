#!/usr/bin/env bash
# Builds the container image without a container engine: a root filesystem with the server, the libraries it is linked with and
# the certificates it trusts, and of it an OCI layout and an archive that docker, podman and containerd load.
#
#   deploy/image.sh [--binary FILE] [--site FOLDER] [--out FOLDER] [--tag NAME:TAG]
#
# FOLDER of --out (target/image) is new, empty, or of an earlier image, whose files are replaced; nothing else is removed there.
# Without --binary it builds both: cargo xtask build --release. Needs umoci and skopeo (apt-get install umoci skopeo).
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
binary=''
site=''
out="$target/image"
tag='adagentai:dev'
while [ $# -gt 0 ]; do
    case $1 in
        --binary) binary=$2; shift 2 ;;
        --site) site=$2; shift 2 ;;
        --out) out=$2; shift 2 ;;
        --tag) tag=$2; shift 2 ;;
        -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "image.sh: unknown option $1" >&2; exit 2 ;;
    esac
done
case $tag in
    *?:?*) name=${tag%:*} version=${tag##*:} archive="$out/${name##*/}.tar" ;;
    *) echo "image.sh: --tag is a name and a version, such as adagentai:dev, not $tag" >&2; exit 2 ;;
esac
if [ -e "$out" ] && [ ! -f "$out/oci/oci-layout" ] && [ -n "$(ls -A "$out")" ]; then
    echo "image.sh: $out holds something else than an image; name a new or an empty folder with --out" >&2
    exit 2
fi
for tool in umoci skopeo ldd; do
    command -v "$tool" >/dev/null || { echo "image.sh: $tool is missing: apt-get install umoci skopeo" >&2; exit 1; }
done
if [ -z "$binary" ]; then
    cargo xtask build --release
    binary="$target/release/server"
    site=${site:-$target/site-release}
fi
site=${site:-$target/site}
[ -x "$binary" ] || { echo "image.sh: there is no program at $binary" >&2; exit 1; }
[ -f "$site/pkg/web.js" ] || { echo "image.sh: no built interface in $site; cargo xtask build --release makes one" >&2; exit 1; }

root="$out/rootfs"
layout="$out/oci"
mkdir -p "$out"
rm -rf "$root" "$out/inspect.json" "$archive" "$layout"
# First of all, because it marks the folder as an image's.
umoci init --layout "$layout"
mkdir -p "$root"/{usr/bin,usr/share/adagentai,etc/ssl/certs,etc/adagentai,tmp,var/lib/adagentai}

install -m 0755 "$binary" "$root/usr/bin/adagentai"
strip --strip-debug "$root/usr/bin/adagentai" 2>/dev/null || true
cp -r "$site" "$root/usr/share/adagentai/site"
# The libraries and the loader, where the program looks for them.
ldd "$binary" | grep -o '/[^ ]*' | sort -u | while read -r library; do
    install -D -m 0755 "$(readlink -f "$library")" "$root$library"
done
# The name service reads these at run time, so ldd does not list them.
for library in libnss_dns.so.2 libnss_files.so.2 libresolv.so.2; do
    # Read to its end: a reader that leaves early would end this script too. Not on everybody's path.
    found=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p | awk -v name="$library" '$1 == name && !found { found = $NF } END { print found }')
    [ -n "$found" ] && install -D -m 0755 "$(readlink -f "$found")" "$root$found"
done
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
printf 'root:x:0:0::/:/\nadagentai:x:10001:10001::/var/lib/adagentai:/\n' > "$root/etc/passwd"
printf 'root:x:0:\nadagentai:x:10001:\n' > "$root/etc/group"
chmod 1777 "$root/tmp"
chown -R 10001:10001 "$root/var/lib/adagentai" 2>/dev/null || echo "image.sh: not root, so the data folder belongs to root" >&2
chmod 0700 "$root/var/lib/adagentai"

umoci new --image "$layout:$version"
umoci insert --image "$layout:$version" "$root" /
umoci config --image "$layout:$version" \
    --config.user 10001:10001 \
    --config.workingdir /var/lib/adagentai \
    --config.entrypoint /usr/bin/adagentai \
    --config.cmd --host --config.cmd 0.0.0.0 --config.cmd --no-sandbox \
    --config.cmd --data-dir --config.cmd /var/lib/adagentai \
    --config.cmd --site-dir --config.cmd /usr/share/adagentai/site \
    --config.env SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    --config.env ADAGENT_LOG__FORMAT=json \
    --config.exposedports 3000/tcp \
    --config.volume /var/lib/adagentai \
    --config.stopsignal SIGTERM \
    --config.label org.opencontainers.image.title="$name" \
    --config.label org.opencontainers.image.revision="$(git rev-parse HEAD 2>/dev/null || echo unknown)"
skopeo copy --quiet "oci:$layout:$version" "docker-archive:$archive:$name:$version"
skopeo inspect "oci:$layout:$version" > "$out/inspect.json"
echo "image:   $archive ($(du -h "$archive" | cut -f1); docker load -i, podman load -i)"
echo "layout:  $layout"
echo "rootfs:  $root"
