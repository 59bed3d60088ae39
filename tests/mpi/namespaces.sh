#!/bin/bash
# namespaces.sh PROGRAM TALUS SCENES [RANKS]: the ranks of PROGRAM, then of `talus run`, in two network
# namespaces, as on two hosts, by Open MPI over TCP alone; the run leaves the checkpoint of one
# process. Skipped (77) where namespaces may not be made or MPI is another.
set -u
program=$1 talus=$2 scenes=$3 ranks=${4:-4}
name=talus$$ folder=$(mktemp -d)
skip() { echo "skipped: $1"; exit 77; }
finish() {
  ip netns del "${name}a" 2> /dev/null
  ip netns del "${name}b" 2> /dev/null
  rm -rf "$folder"
}
trap finish EXIT

mpirun --version 2> /dev/null | grep -q "Open MPI" && ! ldd "$program" | grep -q mpich || skip "no Open MPI"
{ ip netns add "${name}a" && ip netns add "${name}b"; } 2> /dev/null || skip "no network namespaces"
ip -n "${name}a" link add eth0 type veth peer name eth0 netns "${name}b" 2> /dev/null || skip "no veth"
for side in a b; do
  ip -n "$name$side" addr add "10.77.0.$([ $side = a ] && echo 1 || echo 2)/24" dev eth0
  ip -n "$name$side" link set eth0 up
  ip -n "$name$side" link set lo up
done

# what mpirun calls instead of ssh: HOST COMMAND, on the other side
cat > "$folder/agent" << END
#!/bin/bash
shift
exec ip netns exec ${name}b unshare --uts bash -c "hostname other-host; \$*"
END
chmod +x "$folder/agent"

# each namespace has one address, and no way to the other but the wire
apart() {
  ip netns exec "${name}a" mpirun --mca plm_rsh_agent "$folder/agent" --mca btl tcp,self \
    --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
    --host "10.77.0.1:$(((ranks + 1) / 2)),10.77.0.2:$((ranks / 2))" -n "$ranks" "$@"
}
sent() { ip -n "${name}a" -s link show eth0 | awk '/TX:/ {getline; print $1}'; }

apart "$program"
status=$?
bytes=$(sent)
echo "$ranks ranks in two namespaces, $bytes bytes over the wire"
[ "$status" = 0 ] && [ "$bytes" -gt 100000 ] || exit 1

run="$scenes/bed.yaml --steps 12 --quiet --threads 1"
"$talus" run $run --out "$folder/alone" > /dev/null || exit 1
apart "$talus" run $run --out "$folder/apart" || exit 1
echo "talus run: $(($(sent) - bytes)) bytes over the wire"
[ $(($(sent) - bytes)) -gt 100000 ] &&
  cmp "$folder/alone/checkpoint-000012.h5" "$folder/apart/checkpoint-000012.h5"
