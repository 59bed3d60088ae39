#!/bin/bash
# namespaces.sh PROGRAM [RANKS]: the ranks of PROGRAM in two network namespaces, as on two hosts, by
# Open MPI over TCP alone. Skipped (77) where namespaces may not be made or MPI is another.
set -u
program=$1 ranks=${2:-4}
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
ip netns exec "${name}a" mpirun --mca plm_rsh_agent "$folder/agent" --mca btl tcp,self \
  --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 \
  --host "10.77.0.1:$(((ranks + 1) / 2)),10.77.0.2:$((ranks / 2))" -n "$ranks" "$program"
status=$?
sent=$(ip -n "${name}a" -s link show eth0 | awk '/TX:/ {getline; print $1}')
echo "$ranks ranks in two namespaces, $sent bytes over the wire"
[ "$status" = 0 ] && [ "$sent" -gt 100000 ]
