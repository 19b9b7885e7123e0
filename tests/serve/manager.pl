#!/usr/bin/perl
# Plays systemd for a service: passes a listening socket, and writes what the service tells it to
# standard output, a line each. The first line is "port PORT".
#
#   manager.pl SOCKET COMMAND...
use strict;
use warnings;
use Fcntl;
use IO::Handle;
use POSIX ();
use Socket;

STDOUT->autoflush(1);
my $path = shift @ARGV;
socket(my $notify, PF_UNIX, SOCK_DGRAM, 0) or die "socket: $!";
bind($notify, pack_sockaddr_un($path)) or die "$path: $!";
socket(my $listen, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
bind($listen, pack_sockaddr_in(0, INADDR_LOOPBACK)) && listen($listen, 16) or die "listen: $!";
my ($port) = unpack_sockaddr_in(getsockname($listen));
my $pid = fork // die "fork: $!";
if (!$pid) {
	POSIX::dup2(fileno($listen), 3) if fileno($listen) != 3;
	open(my $fd3, '<&=', 3);
	fcntl($fd3, F_SETFD, 0);
	@ENV{qw(LISTEN_PID LISTEN_FDS NOTIFY_SOCKET WATCHDOG_PID WATCHDOG_USEC)} =
		($$, 1, $path, $$, 200_000);
	exec @ARGV or die "$ARGV[0]: $!";
}
print "port $port\npid $pid\n";
close $listen;
while (defined recv($notify, my $text, 4096, 0)) {
	print "$_\n" for split /\n/, $text;
	last if $text eq 'STOPPING=1';
}
waitpid $pid, 0;
print 'code ', $? >> 8, "\n";
