@NullMarked
package io.muster.daemon.etcd;

import org.jspecify.annotations.NullMarked;
